"""PURE functions: text in, values out. No files, network, clock, randomness or Luigi."""
