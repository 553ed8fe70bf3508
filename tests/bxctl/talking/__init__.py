"""Tests of the rooms of ``chat``."""
