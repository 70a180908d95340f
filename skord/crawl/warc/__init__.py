"""WARC, WET and gzip: records framed, unpacked, proved and read."""
