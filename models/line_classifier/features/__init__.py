"""What the line classifier sees of a page: features of its lines and of their elements."""
