"""The selection beside cc_net, and what it takes: CPU, memory, the order of its steps."""
