"""What a task of the graph is: its declaration, its phases, its fingerprint."""
