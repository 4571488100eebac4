"""What was found: small records that nest, with the settings that led to them."""
