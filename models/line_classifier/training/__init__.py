"""How the line classifier is trained and evaluated; nothing here runs in the graph."""
