"""Tells Swedish, Danish, Bokmål, Nynorsk, Icelandic and Faroese apart, where lid.176 does not.

lid.176 takes a third of Nynorsk for Bokmål, an eighth of Bokmål for Danish, and has no label
for Faroese at all. It is asked first, and what it gives the Scandinavian labels together stays:
this classifier divides that sum among them.

`interface`: the classifier that a setting names, and its file. `train`, `evaluate`: recipe and
figures; CARD.md has the sources.
"""
