"""The rooms of ``doctor``: what this command sees itself, and what the running box says."""
