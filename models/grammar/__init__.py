"""Chunk grammars: how much of a text is sentences of its language.

    interface      the grader of a language
    induce         treebanks (conllu) to a grammar
    forms          hunspell dictionaries to lists of word forms
    measure        held-out text and the same spoilt, and weights fitted to their grades
    corruptions    good texts gone bad, for measuring
    evaluate       the figures of CARD.md

After Dzerins and Dzonsons, "Harvesting National Language Text Corpora from the Web".
"""
