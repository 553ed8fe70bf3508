"""Actors: the pieces of state and the order in which they change."""
