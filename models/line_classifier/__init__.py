"""Which lines of a page are its main content.

    interface           what a classifier is, and the one that a model_path names
    embedded            the shipped model: features → network, numpy only
    transformers_model  a token classifier of the transformers library, with windows
    dataset, alignment  pages with gold text to lines with labels
    train, evaluate     the recipe of the shipped weights, and their figures (CARD.md)

Extracting by a verdict on each line is the approach of SWEb (Norlund et al. 2024,
arXiv 2410.04456, section 3.2).
"""
