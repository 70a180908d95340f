"""A crawl of any size, with the statistics of a real dump, out of the bundled pages' sentences.

* `mixture`  which share of pages has what: languages, sizes, charsets, families of duplicates
* `pages`    page number *n* of a crawl, out of the seed and *n* alone
* `build`    writes files of pages one after another, any part on its own, and then the index
"""
