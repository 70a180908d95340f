"""The whole graph over crawls of growing size: how cost grows."""
