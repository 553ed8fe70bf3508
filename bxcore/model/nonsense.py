"""The one error of a server's bytes that are no answer."""

from __future__ import annotations


class Nonsense(ValueError):  # noqa: N818 - said of the server, not of us
    """The server's answer has no usable form; ``.args[0]`` completes "the model's server answered with …"."""
