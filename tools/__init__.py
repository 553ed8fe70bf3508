"""Tools for those who work on boxmaker itself; nothing of the box imports them."""
