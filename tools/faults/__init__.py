"""Faults at every system call that a durable file needs; ``python -m tools.faults`` (docs/faults.md)."""
