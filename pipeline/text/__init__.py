"""Words, Unicode tables and lines of plain text."""
