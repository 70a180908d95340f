"""HTTP to the crawl: client, downloads, ranges, rate limit, errors."""
