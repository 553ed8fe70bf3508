"""The rooms of ``chat``: the process behind it, a turn, the screen, the prompt."""
