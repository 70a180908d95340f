"""The captures of a sample crawl: which pages, when and where, and what lies between them."""
