"""A set of questions over a year of talk, to measure how well recall finds what was said."""
