"""THE WORLD: a crawl over HTTP, WARC, WET and cdx files, pandoc, models on disk."""
