"""Tools in containers of podman: one fresh container a call, over the ``podman`` package (spec 2.5)."""
