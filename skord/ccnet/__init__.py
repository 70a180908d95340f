"""CCNet's method: paragraph keys, repeats, selection of pages by language, buckets."""
