"""What is measured of a text, beside SWEb's features; grades; the model of unwanted texts."""
