"""The sample crawl: a miniature of Common Crawl, and a server that misbehaves on request."""
