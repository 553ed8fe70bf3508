"""A box whose fetches find every name on this machine: ``open_box serve --home DIR``."""

from __future__ import annotations

import sys

from supervisor import main
from tests.doubles.far_place import dialer

if __name__ == "__main__":
    sys.exit(main(dialer=dialer()))
