"""Commands that only read: where tasks stand, what became of pages, and why."""
