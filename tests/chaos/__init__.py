"""Many random faults under load, on real threads."""
