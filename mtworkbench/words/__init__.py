"""What is said of results: each as a document of sentences and tables, before any format."""
