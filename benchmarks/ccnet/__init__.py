"""The selection beside cc_net: CPU, and every field of every document."""
