"""Common Crawl as it lies on its servers: index, addresses, files, robots.txt."""
