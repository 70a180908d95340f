"""Our readers of WARC files, fastText and language models, beside the packages."""
