"""What is to be taken out of a corpus: requests, their lists, and taking them out."""
