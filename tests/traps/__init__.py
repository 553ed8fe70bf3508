"""Each trap of bare Pykka, shown on Pykka itself, and that it is closed here."""
