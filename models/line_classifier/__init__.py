"""Which lines of a page are its main content.

    interface           what a classifier is, and the one that a model_path names
    embedded            the shipped model: features → network, numpy only
    alike_lines         its logits drawn towards those of lines set alike
    card_classifier     the same network in bf16, on a card
    features, context_features   of lines: from the Markdown, and from the HTML around them
    transformers_model  a token classifier of the transformers library, with windows
    finetune            such a model tuned on the same pages
    dataset, alignment  pages with gold text to lines with labels
    train, evaluate     the recipe of the shipped weights, and their figures (CARD.md)
    curve               precision and recall at every threshold, as a picture

Extracting by a verdict on each line is the approach of SWEb (Norlund et al. 2024,
arXiv 2410.04456, section 3.2).
"""
