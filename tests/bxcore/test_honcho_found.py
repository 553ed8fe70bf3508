from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.honcho_found import MAX_AT, MAX_CONTENT, MAX_KEYS, MAX_PEER, MAX_VALUE, capped
from bxcore.messages.honcho_search import FoundMessage

TEXTS = st.text(st.characters(codec=None), max_size=400)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda inner: st.lists(inner, max_size=3)
)


def found(content: str = "x", /, **metadata: object) -> FoundMessage:
    return FoundMessage(peer="ann", content=content, at="2026-05-02T10:00:00Z", metadata=metadata)


def test_an_ordinary_message_stays_as_it_is() -> None:
    ordinary = found("saffron", session="k3f", log="ab", turn=4, part=1, final=True)
    assert capped(ordinary) == ordinary


def test_metadata_keeps_plain_short_values_alone() -> None:
    odd = found(a="y" * 201, b=[1], c={"d": 1}, d=None, e="y" * 200, **{"k" * 201: 1})
    assert capped(odd).metadata == {"e": "y" * 200}


def test_what_is_left_out_takes_no_place() -> None:
    many = found(**{f"k{number}": (None if number % 2 else number) for number in range(100)})
    assert list(capped(many).metadata) == [f"k{number}" for number in range(0, 2 * MAX_KEYS, 2)]


def test_half_a_character_is_mended_as_everywhere() -> None:
    assert capped(found("a\ud800\0b")).content == "a\N{REPLACEMENT CHARACTER}b"


@given(
    peer=TEXTS, content=TEXTS.map(lambda text: text * 9), at=TEXTS, metadata=st.dictionaries(TEXTS, VALUES)
)
def test_nothing_is_larger_than_its_cap(
    peer: str, content: str, at: str, metadata: dict[str, object]
) -> None:
    kept = capped(FoundMessage(peer=peer, content=content, at=at, metadata=metadata))
    assert (len(kept.peer) <= MAX_PEER, len(kept.at) <= MAX_AT) == (True, True)
    assert len(kept.content) <= MAX_CONTENT
    assert len(kept.metadata) <= MAX_KEYS
    texts = [text for entry in kept.metadata.items() for text in entry if isinstance(text, str)]
    assert all(len(text) <= MAX_VALUE for text in texts)
    f"{kept.content}{kept.peer}{kept.at}".encode()
