"""The deterministic test kit: a seeded scheduler over real threads, a virtual clock, probes, leak checks."""
