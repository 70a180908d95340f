"""What may be typed after `skord`: words, options and help, and no more.

Nothing of the graph is imported here, so that help, completion and a misspelt word cost no time.
"""
