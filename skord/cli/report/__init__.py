"""A dump at a glance: figures from its tables, drawn and written into one HTML file."""
