"""The one error of a model server that gives no usable answer."""

from __future__ import annotations


class ModelUnavailable(Exception):  # noqa: N818 - the name the loop and its users speak of
    """No usable answer came from the model; ``sentence`` says what happened and what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
