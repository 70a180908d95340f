"""How much a page reads like good text of its language: perplexity under a language model.

    interface         the models of a folder, and what they say of pages
    files, scorer     the files of a language; perplexities from one pair of them
    train             the recipe: pieces, n-grams by KenLM's programs (build_kenlm.sh), limits
    corpus, wikipedia documents out of plain text and of Wikipedia dumps
    cutoffs           the limits between head, middle and tail, from pages
    embedded/         small shipped models (CARD.md)

The approach is CCNet's (Wenzek et al. 2020, section 3.4); normalising, the formula and the
buckets are in `skord.models.language_model.perplexity`.
"""
