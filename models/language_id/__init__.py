"""Which language a text is in: lid.176 and what is decided from its scores."""
