"""The version of this program; ``pyproject.toml`` says the same, which a test holds."""

VERSION = "0.1.0"
