"""What FilterDocuments measures of a text, and the limits it is held to."""
