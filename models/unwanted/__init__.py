"""How likely a text is spam: logistic regressions over measures that can be read.

`interface`: the probability of each row of measures; `labels.jsonl`, `machine_made.jsonl`: what was
read; CARD.md. The measures are taken by `skord.extras.unwanted.signs` and `machine_made`;
`train` there trains and evaluates.
"""
