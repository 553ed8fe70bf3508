"""The command line; reaches the process only through its control socket."""
