"""Fuzzing of the parsers: what strangers write is only ever read or refused, and in bounded time.

``python -m tools.fuzz`` says how to run it. Inputs are made by chance from seeds and words of each target
(``targets_*.py``); a seed number makes a run repeatable. An input that breaks a target's promise is kept as a
file, and the tests try every such file again.
"""
