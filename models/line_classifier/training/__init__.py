"""How the line classifier is taught and judged; nothing here runs in the graph."""
