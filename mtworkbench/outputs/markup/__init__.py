"""Files with markup: their documents, in the source, the references and the systems."""
