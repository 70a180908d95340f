"""Names of the registers, and CORE's codes of them."""

from __future__ import annotations

REGISTERS = ("narrative", "information", "opinion", "persuasion", "discussion", "how_to")
"""Labels, in the order of the weights' columns."""

CODES = ("NA", "IN", "OP", "IP", "ID", "HI")
"""CORE's, in the same order."""
