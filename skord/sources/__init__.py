"""Pages that are none of Common Crawl's: WARC files, HTML, texts, wherever they lie.

Each page has a place (file, offset, length) at which it can be read again, an id, and a text by
which it is selected; from there on it is handled like all pages.
"""
