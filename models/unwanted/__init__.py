"""How likely a text is spam: a logistic regression over measures that can be read.

`interface`: the probability of each row of measures; `labels.jsonl`: what was read; CARD.md.
The measures are taken by `pipeline.quality.unwanted`; `benchmarks.quality.unwanted` teaches and
tests.
"""
