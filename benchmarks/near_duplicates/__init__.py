"""From signatures to decisions, beside other libraries."""
