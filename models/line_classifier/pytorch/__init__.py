"""The line classifier in torch: for training, for GPUs, and models of the transformers library."""
