"""``kill -9`` at random moments of turns, and then a count of every record, effect and label.

    python -m tools.turn_kills --times 1000 --seed 1

A real box is killed and started again; its model and the page that its tools write to stand at the wire and
survive. Nothing that a client was shown may be missing from the logs, no effect may happen twice, each turn
is replied or told why not, and each session goes on. ``tests.doubles.plain_session`` reads the logs, and
shares no code with the box.
"""
