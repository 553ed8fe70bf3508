"""Write ``docs/control.md``, every path of the control socket with its keys, from ``bxcore/control/``.

Run it as ``./bx docs``; a test fails while the page and the code differ.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bxcore.control.exit_codes import ErrorCode
from bxcore.control.memory_requests import ExchangeRequest
from bxcore.control.routes import GET, MAX_BODY_BYTES, POST
from tools.messages import prose

PAGE = Path(__file__).resolve().parent.parent / "docs" / "control.md"
HEAD = f"""# The control socket

HTTP/1.1 and JSON over `<runtime>/control.sock`, which only your own user may open; with `--home DIR` it is
`DIR/run/control.sock`. `bxctl` is one client of it, and with `--json` most of its commands print what came
back. `./bx docs` writes this page from `bxcore/control/`; change it there.

```sh
curl --unix-socket run/control.sock http://box/v1/memory?file=user
curl --unix-socket run/control.sock http://box/v1/memory-search -d '{{"query": "where is the key?"}}'
```

A GET takes its keys in the query, a POST in a JSON object of at most {MAX_BODY_BYTES:,} bytes. A key must be
there unless the table says what it is else; one that is not listed is refused. What takes `dry_run` changes
nothing unless it is `false`. Two more paths, `/v1/chat/completions` and `/v1/models`, speak OpenAI's
interface: see [api.md](api.md).
"""
NO = """
## A no

Any answer but 200 is `{"error": CODE, "sentence": TEXT}`: a code of this table, and what happened and what
helps. A command that got it exits with the number behind.

| code | HTTP | exit |
|---|---|---|
"""
_PLAIN: Mapping[object, str] = {str: "string", int: "number", bool: "true or false"}


def written(kind: typing.Any) -> str:
    """Write what a key may be in words."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    inner = typing.get_args(kind)
    match typing.get_origin(kind):
        case typing.Literal:
            return " or ".join(f"`{each}`" for each in inner)
        case typing.Union | types.UnionType:
            return " or ".join(written(each) for each in inner if each is not type(None))
        case _ if typing.get_origin(kind) is tuple:
            return f"list of {written(inner[0])}s"
        case _ if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            return kind.__name__.removesuffix("Request").lower()
        case _:
            raise TypeError(f"{kind} has no words")


def keys(request: type) -> str:
    """Write the keys of a request, each with what it may be and its default."""
    hints = typing.get_type_hints(request)
    return "<br>".join(map(_key, dataclasses.fields(request), hints.values())) or "none"


def _key(field: dataclasses.Field[typing.Any], kind: object) -> str:
    if field.default is dataclasses.MISSING:
        return f"`{field.name}`: {written(kind)}"
    if field.default is None:
        return f"`{field.name}`: {written(kind)}, or left out"
    return f"`{field.name}`: {written(kind)}, else `{json.dumps(field.default)}`"


def table(rows: Iterable[tuple[str, type]]) -> Iterator[str]:
    """Write the table of some paths."""
    yield from ("| path | keys | what it is for |", "|---|---|---|")
    for path, request in rows:
        yield f"| `{path}` | {keys(request)} | {prose(request)} |"


def page() -> str:
    """Return the whole page."""
    lines = [HEAD, "## GET", "", *table(GET.items()), "", "## POST", "", *table(POST.items()), ""]
    lines += [f"An exchange is an object with {keys(ExchangeRequest).replace('<br>', '; ')}."]
    noes = [f"| `{code}` | {code.status} | {code.exit.value} |" for code in ErrorCode]
    return "\n".join(lines) + f"\n{NO}" + "\n".join(noes) + "\n"


def main() -> int:
    """Write the page; return the exit code."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
