from __future__ import annotations

import contextlib
import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore.fetch_target import MAX_URL, Target, TargetError, follow, parse

HARMLESS = {
    "https://example.org": ("https://example.org", "/"),
    "https://example.org/": ("https://example.org", "/"),
    "HTTPS://EXAMPLE.ORG/Page": ("https://example.org", "/Page"),
    "https://example.org./": ("https://example.org", "/"),
    "https://example.org:443/": ("https://example.org", "/"),
    "http://example.org:80/": ("http://example.org", "/"),
    "http://example.org:443/": ("http://example.org:443", "/"),
    "https://example.org:8443/x": ("https://example.org:8443", "/x"),
    "http://example.org:/x": ("http://example.org", "/x"),
    "http://example.org:0080/x": ("http://example.org", "/x"),
    "https://example.org?q=1": ("https://example.org", "/?q=1"),
    "https://example.org/a?b=c&d=e%20f": ("https://example.org", "/a?b=c&d=e%20f"),
    "https://example.org/a#b@c": ("https://example.org", "/a"),
    "https://example.org#?x": ("https://example.org", "/"),
    "https://example.org/@user/123": ("https://example.org", "/@user/123"),
    "https://example.org/?next=http://other.org/": ("https://example.org", "/?next=http://other.org/"),
    "https://example.org/a?b?c": ("https://example.org", "/a?b?c"),
    "https://example.org//a//b": ("https://example.org", "//a//b"),
    "https://example.org/a:b;c=d,e": ("https://example.org", "/a:b;c=d,e"),
    "https://example.org/[x]": ("https://example.org", "/[x]"),
    "https://example.org/naïve": ("https://example.org", "/na%C3%AFve"),
    'https://example.org/"<>`{|}^': ("https://example.org", "/%22%3C%3E%60%7B%7C%7D%5E"),
    "https://a.b.c.d.example.org/": ("https://a.b.c.d.example.org", "/"),
    "https://my-host.example.org/": ("https://my-host.example.org", "/"),
    "https://r3---sn-4g5e6n.example.org/": ("https://r3---sn-4g5e6n.example.org", "/"),
    "https://7zip.example/": ("https://7zip.example", "/"),
    "https://1.2.3.example/": ("https://1.2.3.example", "/"),
    "https://0x7f.example/": ("https://0x7f.example", "/"),
    "http://localhost/": ("http://localhost", "/"),
    "https://xn--bcher-kva.example/": ("https://xn--bcher-kva.example", "/"),
    "https://bücher.example/": ("https://xn--bcher-kva.example", "/"),
    "https://BÜCHER.example/": ("https://xn--bcher-kva.example", "/"),
    "https://пример.испытание/": ("https://xn--e1afmkfd.xn--80akhbyknj4f", "/"),
    "https://例え.テスト/": ("https://xn--r8jz45g.xn--zckzah", "/"),
    "https://한국.example/": ("https://xn--3e0b707e.example", "/"),
    "https://مثال.example/": ("https://xn--mgbh0fb.example", "/"),
    "https://उदाहरण.परीक्षा/": ("https://xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g", "/"),
    "http://192.0.2.1/": ("http://192.0.2.1", "/"),
    "http://192.0.2.1.:81/": ("http://192.0.2.1:81", "/"),
    "http://[2001:DB8::1]/": ("http://[2001:db8::1]", "/"),
    "http://[2001:db8:0:0::1]:8080/x": ("http://[2001:db8::1]:8080", "/x"),
}

HOSTILE = [
    "",
    "example.org",
    "//example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "javascript:alert(1)",
    "data:text/html,x",
    "unix:///run/socket",
    "http:example.org",
    "http:/example.org",
    "http:///example.org",
    "http://",
    "http://.",
    "http://..",
    "http://?x",
    "https://:443/",
    "https://user@example.org/",
    "https://user:secret@example.org/",
    "https://example.org@127.0.0.1/",
    "https://example.org:80@127.0.0.1/",
    "https://@example.org/",
    "https://example.org\\@127.0.0.1/",
    "https:\\\\example.org/",
    "https://example.org\\.evil.org/",
    "https://example.org/a\\b",
    " https://example.org/",
    "https://example.org/ ",
    "https://exam ple.org/",
    "https://example.org/a b",
    "https://exa\tmple.org/",
    "https://example.org/\r\nHost: evil.org",
    "https://example.org\n.evil.org/",
    "https://example.org\0.evil.org/",
    "https://example.org/\x7f",
    "https://example.org/\x85",
    "https://example.org\u2028/",
    "https://exam\u200bple.org/",
    "https://example.org/\u202etxt",
    "https://example.org/\ud800",
    "https://example%2eorg/",
    "https://example.org%00.evil.org/",
    "https://127.0.0.1%2f@example.org/",
    "https://example..org/",
    "https://.example.org/",
    "https://example.org../",
    "https://exam_ple.org/",
    "https://-example.org/",
    "https://example-.org/",
    "https://*.example.org/",
    "https://example,org/",
    "https://example.org;evil.org/",
    "https://exa'mple.org/",
    f"https://{'a' * 64}.org/",
    f"https://{'a.' * 130}org/",
    "https://example.org:0/",
    "https://example.org:65536/",
    "https://example.org:443443/",
    "https://example.org:-1/",
    "https://example.org:+80/",
    "https://example.org:8_0/",
    "https://example.org:80:80/",
    "https://example.org:\uff18\uff10/",
    "https://example.org:x/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0X7F.1/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.0.0.01/",
    "http://127.0.0.1.5/",
    "http://127.0.0.256/",
    "http://1.2.3.0x/",
    "http://4294967296/",
    "http://example.127/",
    "http://\uff11\uff12\uff17.0.0.1/",
    "http://127\u30020.0.1/",
    "http://\u2460\u2461\u2466.0.0.1/",
    "http://[::1/",
    "http://::1/",
    "http://[::1]x/",
    "http://[::1]80/",
    "http://[fe80::1%eth0]/",
    "http://[fe80::1%25eth0]/",
    "http://[v1.x]/",
    "http://[127.0.0.1]/",
    "http://[]/",
    "http://[::1::2]/",
    "http://a]b/",
    "https://ex\u0430mple.org/",  # a Cyrillic a among Latin letters
    "https://\u0430\u0440\u0440\u04cf\u0435.com/",  # Cyrillic letters that read as apple
    "https://\u03bf\u03bd.com/",
    "https://\uff45xample.org/",
    "https://\u212aelvin.org/",  # the sign for kelvin folds to k
    "https://e\u0338xample.org/",
    "https://exampl\u0261.org/",
    "https://\u0131nfo.org/",
    "https://example\u3002org/",
    "https://exam\u00adple.org/",
    "https://\U0001f4a9.example/",
    "https://a\u2044b.org/",
    f"https://example.org/{'a' * MAX_URL}",
    f"https://example.org/{'ä' * (MAX_URL // 3)}",
]


@pytest.mark.parametrize("url", HARMLESS)
def test_a_harmless_url_is_read(url: str) -> None:
    target = parse(url)
    assert (target.origin, target.path_query) == HARMLESS[url]
    assert parse(target.url) == target


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_url_is_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse(url)
    sentence = caught.value.sentence
    assert sentence.startswith("the url")
    assert not sentence.endswith(".")
    assert "evil" not in sentence
    assert "secret" not in sentence


def test_a_host_that_is_an_address_is_known_as_one() -> None:
    assert parse("http://192.0.2.1/").address == IPv4Address("192.0.2.1")
    assert parse("http://[::ffff:127.0.0.1]/").address == IPv6Address("::ffff:127.0.0.1")
    assert parse("http://192.0.2.example/").address is None


def test_a_host_header_names_the_port_only_where_it_is_not_the_schemes_own() -> None:
    assert parse("https://example.org:443/").authority == "example.org"
    assert parse("https://example.org:80/").authority == "example.org:80"
    assert parse("http://[::1]:81/").authority == "[::1]:81"


URLISH = st.text(
    st.one_of(
        st.sampled_from(list("htps:/.@?#[]%\\x0127aü\u0430\uff11\u200b ")), st.characters(codec="utf-8")
    ),
    max_size=40,
)


@given(st.one_of(URLISH, URLISH.map("http://".__add__), st.text().map("https://".__add__)))
@example("http://\u0660")
def test_any_text_is_a_target_or_a_refusal(url: str) -> None:
    with contextlib.suppress(TargetError):
        target = parse(url)
        assert parse(target.url) == target
        assert target.url.isascii()
        assert target.host == target.host.lower()
        assert not set(target.host) & set("@/\\?#% []")


@given(st.text(st.sampled_from("0123456789xXabcf."), min_size=1, max_size=14))
def test_what_the_system_reads_as_an_address_is_one_or_is_refused(host: str) -> None:
    try:
        packed = socket.inet_aton(host)
    except OSError:
        return
    with contextlib.suppress(TargetError):
        assert parse(f"http://{host}/").address == IPv4Address(packed)


BASE = Target("https", "example.org", 443, "/a/b?c=d")


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://example.org/x"),
        ("x", "https://example.org/a/x"),
        ("../x", "https://example.org/x"),
        ("../../../x", "https://example.org/x"),
        ("?e=f", "https://example.org/a/b?e=f"),
        ("#here", "https://example.org/a/b?c=d"),
        ("", "https://example.org/a/b?c=d"),
        ("//other.org/x", "https://other.org/x"),
        ("http://other.org:81", "http://other.org:81/"),
        ("HTTP://127.0.0.1/", "http://127.0.0.1/"),
        ("ü", "https://example.org/a/%C3%BC"),
    ],
)
def test_a_redirect_is_read_relative_to_who_sent_it(location: str, url: str) -> None:
    assert follow(BASE, location).url == url


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "javascript:x",
        "//user@other.org/",
        "\\\\other.org\\x",
        "/a\nb",
        " /x",
        "//[::1",
        "//127.1/",
        "x" * 9000,
    ],
)
def test_a_redirect_to_what_is_no_target_is_refused(location: str) -> None:
    with pytest.raises(TargetError):
        follow(BASE, location)


@given(URLISH)
def test_any_redirect_is_a_target_or_a_refusal(location: str) -> None:
    with contextlib.suppress(TargetError):
        follow(BASE, location)
