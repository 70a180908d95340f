"""Measurements, each beside what it is to be compared with, in one run.

    make bench-NAME                    # python -m benchmarks NAME; without a name it lists them

Each prints a table and, last, one line `NAME: …`. A ratio is one of medians over runs that
took turns, since a machine is seldom idle. Figures taken so far: README.md.
"""
