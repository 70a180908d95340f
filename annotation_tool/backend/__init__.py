"""What runs on the annotators' machine: pages, labels, and the interface to them."""
