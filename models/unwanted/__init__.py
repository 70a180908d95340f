"""How likely a text is spam: logistic regressions over measures that can be read.

`interface`: the probability of each row of measures; `labels.jsonl`, `machine_made.jsonl`: what was
read; CARD.md. The measures are taken by `skord.quality.unwanted` and `machine_made`;
`skord.quality.train_unwanted` and `train_machine_made` train and evaluate.
"""
