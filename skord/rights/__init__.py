"""What owners say a page may be used for: headers, tags and files of sites, and who is meant."""
