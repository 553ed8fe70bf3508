"""The benchmark: ``./bx bench [ROW…]`` prints one JSON line a row."""
