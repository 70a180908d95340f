"""How likely a page is of the kind that Wikipedia cites.

    interface             what a classifier is, and the one that a setting names
    references            the URLs that a dump of Wikipedia cites, in either of its forms
    addresses             one form for the URLs of one page, and the site of a page
    dataset               cited pages and a random sample of the others, split by site
    train                 the recipe of a weights file, and its figures (CARD.md); the features and
                          the form of the file are those of `skord.models.hashed_text`

CCNet (Wenzek et al. 2020, arXiv 1911.00359) selects pages by how much they read like
Wikipedia itself. LLaMA (Touvron et al. 2023, arXiv 2302.13971, section 2.1) adds a linear
model that separates pages used as references in Wikipedia from randomly sampled pages.
"""
