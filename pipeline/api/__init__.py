"""For those who use the project from Python: one page, and the columns of a data folder."""
