from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.grants import load

LINES = st.sampled_from(
    [
        *(
            'tool = "shell"',
            'tool = "memory"',
            'mode = "auto"',
            "mode = 1",
            'paths = ["/"]',
            "paths = 3",
            "[a]",
            "x",
        ),
        *(
            '"" = 1',
            "expires = 2027-01-01T00:00:00Z",
            "max_bytes = 1",
            'commands = ["ls"]',
            "a.b.c = {}",
            "'",
            '"""',
        ),
    ]
)


class OneFile:
    """A folder with one file in it, as far as ``load`` looks at one."""

    suffix = ".toml"
    name = "g.toml"
    stem = "g"

    def __init__(self, data: bytes) -> None:
        self._data = data

    def iterdir(self) -> list[OneFile]:
        return [self]

    def is_dir(self) -> bool:
        return True

    def is_file(self) -> bool:
        return True

    def resolve(self) -> OneFile:
        return self

    def __str__(self) -> str:
        return "/grants"

    def read_bytes(self) -> bytes:
        return self._data

    def __truediv__(self, key: str) -> OneFile:
        return self


@given(st.binary(max_size=60) | st.lists(LINES, max_size=6).map(lambda lines: "\n".join(lines).encode()))
def test_no_file_crashes_the_loading_and_each_is_a_grant_or_a_problem(data: bytes) -> None:
    grants, found = load(OneFile(data))
    assert bool(grants) != bool(found)
    assert all(problem.problem and 1 <= problem.line <= data.count(b"\n") + 1 for problem in found)
