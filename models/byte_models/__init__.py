"""Small models of bytes, trained in seconds to minutes: which text is better to learn from?

What they give is bits per byte of held-out text: lower is better. CCNet (Wenzek et al. 2020,
section 5) and FineWeb judge corpora so, with larger models.
"""
