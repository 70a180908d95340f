"""What a run says to the person who started it."""
