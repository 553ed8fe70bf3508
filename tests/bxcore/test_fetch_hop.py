from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.fetch_hop import REDIRECTS, Hop, RedirectRefused, first_hop, next_hop
from bxcore.fetch_target import TargetError, parse

POST = first_hop(
    parse("https://example.org/form"),
    "POST",
    {
        "Authorization": "Bearer x",
        "Cookie": "a=b",
        "X-Api-Key": "k",
        "Content-Type": "text/plain",
        "Accept": "*/*",
    },
    "wörds",
)


def following(hop: Hop, status: int, location: str) -> Hop:
    found = next_hop(hop, status, location)
    assert found is not None
    return found


def test_headers_that_we_set_are_left_out() -> None:
    hop = first_hop(
        parse("https://example.org/"),
        "GET",
        {"User-Agent": "other", "ACCEPT-ENCODING": "gzip", "Expect": "100-continue", "X-Own": " y "},
        "",
    )
    assert hop.headers == {"x-own": "y"}


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_post_that_is_sent_on_becomes_a_get_without_its_body(status: int) -> None:
    hop = following(POST, status, "/other")
    assert (hop.method, hop.body) == ("GET", b"")
    assert "content-type" not in hop.headers
    assert hop.headers["authorization"] == "Bearer x"


@pytest.mark.parametrize("status", [307, 308])
def test_a_post_keeps_its_method_and_body_where_the_status_says_so(status: int) -> None:
    hop = following(POST, status, "/other")
    assert (hop.method, hop.body, hop.headers) == ("POST", "wörds".encode(), POST.headers)


@pytest.mark.parametrize("status", sorted(REDIRECTS))
def test_a_head_stays_one(status: int) -> None:
    assert following(Hop(target=POST.target, method="HEAD"), status, "/other").method == "HEAD"


@pytest.mark.parametrize(
    "location",
    ["https://other.org/", "https://www.example.org/", "https://example.org:8443/", "//other.org/"],
)
def test_nothing_secret_goes_to_another_origin(location: str) -> None:
    hop = following(POST, 307, location)
    assert set(hop.headers) == {"content-type", "accept"}
    assert set(following(POST, 302, location).headers) == {"accept"}


def test_a_way_out_of_tls_is_refused() -> None:
    with pytest.raises(RedirectRefused, match="not secure"):
        next_hop(POST, 302, "http://example.org/form")


def test_a_way_into_tls_is_taken() -> None:
    assert (
        following(Hop(target=parse("http://example.org/")), 301, "https://example.org/").target.scheme
        == "https"
    )


@pytest.mark.parametrize("status", [200, 204, 300, 304, 305, 306, 399, 404])
def test_another_status_leads_nowhere(status: int) -> None:
    assert next_hop(POST, status, "/other") is None


def test_a_redirect_without_a_place_leads_nowhere() -> None:
    assert next_hop(POST, 302, None) is None


@given(st.sampled_from(sorted(REDIRECTS)), st.text(max_size=40))
def test_any_location_is_followed_or_refused(status: int, location: str) -> None:
    try:
        hop = following(POST, status, location)
    except (TargetError, RedirectRefused):
        return
    assert hop.target.scheme == "https"
    assert hop.target.origin == POST.target.origin or "authorization" not in hop.headers
