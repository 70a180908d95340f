"""The whole graph and large data folders: how cost grows."""
