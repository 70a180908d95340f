"""Chunk grammars: how much of a text is sentences of its language.

    interface      the grader of a language
    induce         treebanks to a grammar (conllu, tags, spans)
    forms          hunspell dictionaries to lists of word forms (hunspell)
    calibrate      grades to a probability
    corruptions    good texts gone bad, for measuring
    evaluate       the figures of CARD.md

After Dzerins and Dzonsons, "Harvesting National Language Text Corpora from the Web".
"""
