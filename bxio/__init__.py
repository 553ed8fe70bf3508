"""Conversations with the outside: Honcho, the model, files and stores, with no threads of their own."""
