"""What a campaign costs: predicted from the costs of its units of work, and compared with a measured part of it."""
