"""Which lines of a page are its main content.

    interface           what a classifier is, and the one that a model_path names
    embedded            the shipped model: features → network, numpy only
    features, context_features, dom_features   of lines: from the Markdown, and from the HTML
    smoothing           its logits drawn towards those of lines set alike
    gpu                 the same network in bf16, on a GPU
    transformers_model  a token classifier of the transformers library, with windows
    gold/               labels that people gave
    training/           recipe of the shipped weights, their figures (CARD.md), fine-tuning

Extracting by a verdict on each line is the approach of SWEb (Norlund et al. 2024,
arXiv 2410.04456, section 3.2).
"""
