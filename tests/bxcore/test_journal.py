"""The log's framing: what a crash, a power loss or a flipped bit leaves is cut or refused, never misread."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import journal
from bxcore.journal import START, DamageError, chain, frame, recover

SECTOR = 512
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
payloads = json_values.map(lambda value: json.dumps(value, ensure_ascii=True))
batches = st.lists(st.lists(payloads, min_size=1, max_size=3), min_size=1, max_size=5)


def log_of(written: list[list[str]]) -> tuple[bytes, list[int]]:
    """A log of synced batches, and its length after each of them."""
    data, ends, seq, crc = b"", [], 0, START
    for batch in written:
        more, crc = frame(batch, seq, crc, first=seq)
        data, seq = data + more, seq + len(batch)
        ends.append(len(data))
    return data, ends


@given(batches)
def test_what_was_framed_is_recovered(written: list[list[str]]) -> None:
    data, _ = log_of(written)
    found = recover(data)
    assert found.payloads == tuple(payload for batch in written for payload in batch)
    assert (found.tail, found.good_bytes) == (b"", len(data))


@given(batches)
def test_a_log_goes_on_where_it_was_recovered(written: list[list[str]]) -> None:
    data, ends = log_of(written)
    cut = recover(data[: ends[-1] - 1])
    more, _ = frame(['"again"'], len(cut.payloads), cut.crc, first=len(cut.payloads))
    assert recover(data[: cut.good_bytes] + more).payloads == (*cut.payloads, '"again"')


def test_a_log_torn_at_any_byte_keeps_every_whole_line() -> None:
    data, _ = log_of([['{"a":1}'], ['"two"', '"three"'], ["4"]])
    for cut in range(len(data) + 1):
        whole = data[:cut].count(b"\n")
        found = recover(data[:cut])
        assert len(found.payloads) == whole
        assert data[: found.good_bytes] + found.tail == data[:cut]


@given(batches, st.data())
def test_a_flipped_bit_is_never_read_as_something_else(written: list[list[str]], data: st.DataObject) -> None:
    log, ends = log_of(written)
    at = data.draw(st.integers(0, len(log) - 1))
    flipped = bytearray(log)
    flipped[at] ^= 1 << data.draw(st.integers(0, 7))
    true = [payload for batch in written for payload in batch]
    try:
        found = recover(bytes(flipped))
    except DamageError:
        return
    assert list(found.payloads) == true[: len(found.payloads)]
    if len(ends) > 1:
        assert at >= ends[-2], "a flip in a batch before the last one must be seen as damage"


@given(batches, st.data())
def test_a_flipped_newline_hides_no_later_line(written: list[list[str]], data: st.DataObject) -> None:
    log, ends = log_of([*written, ["1"]])
    at = ends[data.draw(st.integers(0, len(ends) - 2))] - 1
    with pytest.raises(DamageError):
        recover(log[:at] + b"\x0b" + log[at + 1 :])


@given(st.integers(0, 2**32))
def test_a_power_loss_keeps_what_was_synced_and_any_sectors_of_the_rest(seed: int) -> None:
    chance = random.Random(seed)
    written = [
        [json.dumps("x" * chance.choice((1, 300, 1500))) for _ in range(chance.randint(1, 4))]
        for _ in range(chance.randint(1, 4))
    ]
    log, ends = log_of(written)
    synced = ends[-2] if len(ends) > 1 else 0
    left = _after_power_loss(log, synced, chance)
    found = recover(left)
    assert len(found.payloads) >= sum(len(batch) for batch in written[:-1])
    true = [payload for batch in written for payload in batch]
    assert list(found.payloads) == true[: len(found.payloads)]


def _after_power_loss(log: bytes, synced: int, chance: random.Random) -> bytes:
    """Each sector that holds unsynced bytes is new or old (zeros, or what the file was before)."""
    old = log[:synced] + bytes(len(log) - synced)
    left = bytearray(old)
    for start in range(synced - synced % SECTOR, len(log), SECTOR):
        if chance.random() < 0.5:
            left[start : start + SECTOR] = log[start : start + SECTOR]
    return bytes(left[: chance.choice((len(log), chance.randint(synced, len(log))))])


def test_lines_written_before_one_sync_are_one_batch() -> None:
    one, crc = frame(['"one"'], 0, START, first=0)
    two, crc = frame(['"two"'], 1, crc, first=0)
    three, _ = frame(['"three"'], 2, crc, first=2)
    assert recover(one + two + three).payloads == ('"one"', '"two"', '"three"')
    assert recover(bytes(len(one)) + two).payloads == ()
    with pytest.raises(DamageError, match="line 1 of the log is damaged"):
        recover(bytes(len(one)) + two + three)


def test_a_missing_line_is_damage() -> None:
    data, ends = log_of([["1"], ["2"], ["3"]])
    with pytest.raises(DamageError, match="line 2"):
        recover(data[: ends[0]] + data[ends[1] :])


def test_a_line_of_another_log_does_not_follow() -> None:
    ours, ends = log_of([["1"], ["2"]])
    theirs, _ = log_of([["9"], ["2"]])
    assert recover(ours[: ends[0]] + theirs[ends[0] :]).payloads == ("1",)


def test_a_line_given_twice_ends_the_chain() -> None:
    data, ends = log_of([["1"], ["2"]])
    assert recover(data + data[ends[0] :]).payloads == ("1", "2")


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"])
def test_no_other_separator_ends_a_line(odd: str) -> None:
    payload = json.dumps(f"a{odd}b")
    data, _ = log_of([[payload], ["1"]])
    assert recover(data).payloads == (payload, "1")


def test_a_payload_with_a_newline_is_refused() -> None:
    with pytest.raises(ValueError, match="newline"):
        frame(["1\n2"], 0, START, first=0)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_crash(data: bytes) -> None:
    found = recover(data)
    assert (found.payloads, found.tail) == ((), data)


def test_a_torn_first_line_is_still_a_framed_log() -> None:
    data, _ = log_of([["1"]])
    assert all(journal.is_framed(data[:cut]) for cut in range(len(data)))
    assert not journal.is_framed(b'{"kind":"user"')


def test_the_rest_of_a_log_is_read_from_any_line_on_also_within_a_batch() -> None:
    one, crc = frame(['"a"', '"b"', '"c"'], 0, START, first=0)
    data = one + frame(['"d"'], 3, crc, first=3)[0]
    lines = list(chain(data))
    assert [line.payload for line, _ in lines] == ['"a"', '"b"', '"c"', '"d"']
    for line, end in lines:
        rest = recover(data[end:], seq=line.seq + 1, first=line.first, crc=line.crc)
        assert rest.payloads == ('"a"', '"b"', '"c"', '"d"')[line.seq + 1 :]
        assert list(chain(data[end:], seq=line.seq + 2, first=line.first, crc=line.crc)) == []
    _, end = lines[0]
    broken = data[end:].replace(b':"b"', b':"x"')
    with pytest.raises(DamageError, match="line 2 of the log"):
        recover(broken, seq=1, first=0, crc=lines[0][0].crc)
