"""How items in the queue are watched: lists, heartbeats, diagnosis, what is tried again."""
