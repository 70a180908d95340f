"""Words of a text, tables of Unicode's characters, JSON lines."""
