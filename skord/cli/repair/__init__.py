"""Shards made again: those that a person names, and those that are not as they were written."""
