from __future__ import annotations

import hashlib
import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from bxcore import audit_chain
from bxcore.audit_chain import GENESIS, Broken, Head


def chain(*records: dict[str, object]) -> tuple[list[bytes], Head]:
    head, lines = Head(), []
    for record in records:
        line, head = audit_chain.link(head, record)
        lines.append(line.removesuffix(b"\n"))
    return lines, head


RECORDS: tuple[dict[str, object], ...] = tuple(
    {"kind": "intent", "tool": f"tool {number}"} for number in range(5)
)


def test_each_line_carries_the_sha256_of_the_line_before() -> None:
    lines, head = chain(*RECORDS)
    assert json.loads(lines[0]) == {"n": 1, "before": GENESIS, "kind": "intent", "tool": "tool 0"}
    for before, line in itertools.pairwise(lines):
        assert json.loads(line)["before"] == hashlib.sha256(before).hexdigest()
    assert head == Head(number=5, sha256=hashlib.sha256(lines[-1]).hexdigest())


def test_a_line_is_ascii_on_one_line_whatever_is_in_it() -> None:
    [line], _ = chain({"tool": "é\n\u2028\ud800"})
    assert line.isascii()
    assert b"\n" not in line
    assert json.loads(line)["tool"] == "é\n\u2028\ud800"


def test_a_whole_chain_is_walked_to_its_head() -> None:
    lines, head = chain(*RECORDS)
    assert audit_chain.walk(lines) == head
    assert audit_chain.walk([]) == Head()


@given(st.integers(0, 4), st.data())
def test_any_changed_byte_is_found_at_its_line_or_the_next(at: int, data: st.DataObject) -> None:
    lines, head = chain(*RECORDS)
    place = data.draw(st.integers(0, len(lines[at]) - 1))
    changed = bytearray(lines[at])
    changed[place] ^= data.draw(st.integers(1, 255))
    found = audit_chain.walk([*lines[:at], bytes(changed), *lines[at + 1 :]])
    if at == len(lines) - 1:
        assert found != head
    else:
        assert isinstance(found, Broken)
        assert found.line in {at + 1, at + 2}


def test_a_missing_line_is_named() -> None:
    lines, _ = chain(*RECORDS)
    found = audit_chain.walk([*lines[:2], *lines[3:]])
    assert found == Broken(line=3, sentence="line 3 does not carry the sha256 of line 2")


def test_a_line_that_is_no_record_is_named() -> None:
    lines, _ = chain(*RECORDS)
    assert audit_chain.walk([lines[0], b"[]"]) == Broken(line=2, sentence="line 2 is no audit record")
    deep = b"[" * 100_000
    assert audit_chain.walk([deep]) == Broken(line=1, sentence="line 1 is no audit record")


def test_a_record_with_a_wrong_number_is_named() -> None:
    lines, head = chain(*RECORDS[:2])
    forged, _ = audit_chain.link(Head(number=7, sha256=head.sha256), {})
    found = audit_chain.walk([*lines, forged.removesuffix(b"\n")])
    assert found == Broken(line=3, sentence="line 3 is record 8, not record 3")
