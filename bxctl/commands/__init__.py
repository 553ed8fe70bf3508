"""One command a file: ``arguments(parser)`` and ``run(args) -> exit code``."""
