"""Pure rules and values: no threads, clocks, files, network or logging (spec, chapter 0)."""
