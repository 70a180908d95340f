"""Signatures, matching, decisions and repeated passages, beside other libraries."""
