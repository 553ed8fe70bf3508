from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.fetch_target import parse
from bxcore.grants import Grant, Mode, WhenUntrusted
from bxcore.grants.host_rule import HostError, host_rule
from bxcore.policy import refuse_redirect
from bxcore.policy.commands import CommandLine
from bxcore.policy.files import File
from bxcore.policy.hosts import Place
from bxcore.policy.named import stands_in
from bxcore.policy.shell_words import CommandError, first_words

SHELL = Grant(id="g", tool="shell", mode=Mode.AUTO, text="")
FETCH = Grant(id="g", tool="http_fetch", mode=Mode.AUTO, text="", hosts=("a.org", "*.b.org"))


@pytest.mark.parametrize(
    ("said", "text", "named"),
    [
        *(
            (said, "/n/a.md", True)
            for said in ("/n/a.md", "read /n/a.md.", "(/n/a.md)", "'/n/a.md'?", "see /n/a.md, ok")
        ),
        *(
            (said, "/n/a.md", False)
            for said in ("", "/n/a.mdx", "/n/a.md.gpg", "x/n/a.md", "//n/a.md", "/n/a.md/b")
        ),
        *((said, "/n/a.md", False) for said in ("-/n/a.md", "/n/a.md-x", "~/n/a.md", "/N/A.MD", "/n/a .md")),
        ("write a letter", "a", False),
        ("write `a`", "a", True),
        ("open the notes", "notes", False),
        ('open "notes" now', "notes", True),
        ("clean up here", "clean up", False),
        ("run \u201cclean up\u201d", "clean up", True),
        ("what date is it", "date", False),
        ("run ls -la now", "ls -la", True),
        ("run ls -lart now", "ls -la", False),
        ("anything", "", False),
    ],
)
def test_a_destination_is_named_as_a_whole_or_not_at_all(said: str, text: str, named: bool) -> None:  # noqa: FBT001
    assert stands_in(said, text) is named


@given(st.text(max_size=40), st.text(max_size=10))
def test_what_is_named_stands_in_the_message(said: str, text: str) -> None:
    assert not stands_in(said, text) or (text and text in said)


def test_a_path_is_named_in_either_of_its_forms() -> None:
    file = File(tool="read_file", path="/n/a.md", written="/n/x/../a.md")
    assert file.named("read /n/a.md")
    assert file.named("read /n/x/../a.md")
    assert not file.named("read /n/x")


@pytest.mark.parametrize(
    ("url", "said", "named"),
    [
        ("https://a.org/x?y=1", "get https://a.org/x?y=1", True),
        ("https://a.org/x?y=1", "what does a.org say?", True),
        ("https://a.org/x?y=1", "what does A.ORG say?", True),
        ("https://a.org/x?y=1", "get https://a.org/x", False),
        ("https://a.org/x?y=1", "what does www.a.org say", False),
        ("https://a.org:81/", "what does a.org say", False),
        ("https://a.org:81/", "what does a.org:81 say", True),
    ],
)
def test_a_place_is_named_by_its_url_or_its_host_alone(url: str, said: str, named: bool) -> None:  # noqa: FBT001
    assert Place(target=parse(url), method="GET", written=url).named(said) is named


@pytest.mark.parametrize(
    ("written", "url", "covered"),
    [
        ("a.org", "https://a.org/", True),
        ("a.org", "http://a.org/", True),
        ("a.org", "http://a.org:443/", False),
        ("a.org", "http://b.a.org/", False),
        ("a.org:81", "http://a.org:81/", True),
        ("a.org:81", "http://a.org/", False),
        ("*.a.org", "http://a.org/", False),
        ("*.a.org", "http://c.b.a.org/", True),
        ("*.a.org", "http://ba.org/", False),
        ("*.a.org:81", "http://b.a.org:81/", True),
        ("*.a.org:81", "http://b.a.org/", False),
        ("192.0.2.1", "http://192.0.2.1/", True),
        ("*.2.1", "http://192.0.2.1/", None),
        ("[2001:db8::1]", "http://[2001:DB8:0::1]/", True),
        ("b\u00fccher.example", "http://xn--bcher-kva.example/", True),
        ("A.Org.", "http://a.org/", True),
        ("[2001:db8::1]:81", "http://[2001:db8::1]/", False),
    ],
)
def test_a_host_of_a_grant_covers_what_it_says(written: str, url: str, covered: bool | None) -> None:  # noqa: FBT001
    if covered is None:
        with pytest.raises(HostError):
            host_rule(written)
        return
    rule = host_rule(written)
    assert rule.covers(parse(url)) is covered
    assert host_rule(str(rule)) == rule


def test_a_redirect_stays_within_its_grant_and_away_from_stricter_ones() -> None:
    stricter = replace(FETCH, mode=Mode.DENY, hosts=("x.b.org",))
    asks = replace(FETCH, mode=Mode.ASK, hosts=("y.b.org",))
    assert refuse_redirect(parse("https://a.org/2"), "GET", FETCH, (stricter, asks)) is None
    assert refuse_redirect(parse("https://c.b.org/"), "GET", FETCH, (stricter, asks)) is None
    assert refuse_redirect(parse("https://evil.test/"), "GET", FETCH, ()) == (
        "the answer leads to a place that the grant does not cover"
    )
    for host in ("x", "y"):
        assert refuse_redirect(parse(f"https://{host}.b.org/"), "GET", FETCH, (stricter, asks)) == (
            "the answer leads to a place that needs a call of its own; fetch it by its own address"
        )
    assert refuse_redirect(parse("https://a.org/"), "POST", replace(FETCH, methods=("GET",)), ()) is not None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls", ("ls",)),
        ("", ()),
        ("ls -l a b", ("ls",)),
        ("a; b & c && d | e || f\ng", tuple("abcdefg")),
        (";;", ()),
        ("a;", ("a",)),
        (">x a 2>&1 <y b; >z", ("a",)),
        ("2>x a", ("a",)),
        ("22>x a", ("22",)),
        ("a2>x b", ("a2",)),
        ("'a b' c", ("a b",)),
        ("\\a 'b'", ("a",)),
        ('"a\\"b\\c"', ('a"b\\c',)),
        ("a'b'\"c\" d", ("abc",)),
        ("# b\na #b\n'#c'", ("a", "#c")),
        ("a#b", ("a#b",)),
        ("[ -f x ]", ("[",)),
        ('a $x ${y} "$z" \'$(q)\' "a$" $', ("a",)),
    ],
)
def test_the_first_word_of_each_simple_command_is_found(command: str, words: tuple[str, ...]) -> None:
    assert first_words(command) == words


@given(st.text(alphabet="ab ;&|<>'\"\\$(){}`#\n=*~[]!", max_size=20))
def test_each_line_has_its_words_or_a_sentence(command: str) -> None:
    try:
        words = first_words(command)
    except CommandError as error:
        assert re.fullmatch("command .+; .+", error.sentence)  # noqa: PT017 (a line may be well read, too)
    else:
        assert all(word in command or set("'\"\\") & set(command) for word in words)


def test_an_ask_for_one_command_is_not_slipped_past_by_another() -> None:
    line = CommandLine.of("ls; git push")
    git = replace(SHELL, commands=("git",))
    assert line.touches(git)
    assert not line.covers(git)
    assert line.covers(replace(SHELL, commands=("git", "ls")))
    assert line.covers(SHELL)
    assert not line.touches(replace(SHELL, commands=("wc",)))


def test_a_command_by_its_path_is_touched_and_not_covered() -> None:
    line = CommandLine.of("/bin/ls")
    assert line.touches(replace(SHELL, commands=("ls",)))
    assert not line.covers(replace(SHELL, commands=("ls",)))
    assert line.covers(replace(SHELL, commands=("/bin/ls",)))


def test_a_line_that_cannot_be_told_is_touched_by_all_and_covered_by_those_without_commands() -> None:
    line = CommandLine.of("ls $(x)")
    assert line.touches(replace(SHELL, commands=("wc",)))
    assert not line.covers(replace(SHELL, commands=("ls",)))
    assert line.covers(SHELL)


def test_what_is_missing_for_a_command_line_is_named() -> None:
    ls, wc = replace(SHELL, commands=("ls",)), replace(SHELL, commands=("wc",))
    assert "the command git;" in CommandLine.of("ls; git").missing((ls, wc))
    assert "all these commands at once;" in CommandLine.of("ls; wc").missing((ls, wc))
    assert "one of these commands;" in CommandLine.of("'\u202e'").missing((ls, wc))


def test_a_method_that_is_missing_is_named() -> None:
    place = Place(target=parse("https://a.org/"), method="POST", written="https://a.org/")
    only_get = replace(FETCH, methods=("GET",))
    assert not place.covers(only_get)
    assert "the method POST there;" in place.missing((only_get,))
    assert "this host;" in place.missing(())


def test_a_fetch_knows_the_grants_that_a_redirect_must_not_run_into() -> None:
    from datetime import UTC, datetime

    from bxcore.labels import NEW_SESSION, Label, Level
    from bxcore.policy import Call, decide
    from bxcore.repeats import TurnCalls

    now = datetime(2027, 1, 1, tzinfo=UTC)
    named = replace(FETCH, id="named", when_untrusted=WhenUntrusted.NAMED)
    deny = replace(FETCH, id="deny", mode=Mode.DENY, hosts=("x.b.org",))
    ask = replace(FETCH, id="ask", mode=Mode.ASK, hosts=("y.b.org",))
    over = replace(deny, id="over", expires=now)
    call = Call(
        tool="http_fetch", arguments='{"url":"https://a.org/"}', state=NEW_SESSION, calls=TurnCalls(turn=1)
    )
    assert decide(call, (named, deny, ask, over), now).stricter == (ask, deny)
    also = replace(ask, id="also", hosts=("a.org",))
    assert decide(call, (named, deny, ask, also), now).stricter == (deny,)
    strange = replace(call, state=Label(Level.PRIVATE, untrusted=True), said="get a.org")
    assert decide(strange, (named, deny, ask), now).stricter == (ask, deny)
    secret = replace(FETCH, id="secret", result_class=Level.SECRET, hosts=("z.b.org",))
    assert decide(call, (named, secret), now).stricter == (secret,), "its pages have a higher label"
    assert decide(call, (named, replace(secret, result_class=Level.PUBLIC)), now).stricter == ()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        *((line, "sets a variable before a word") for line in ("X=1 a", "X=1", "a; Y+=2 b", "A[1]=2 b")),
        *(
            (line, "construct of the shell")
            for line in ("! a", "{ a", "time a", "a; if b", "'if' a", "[[ a ]]")
        ),
        *(
            (line, "expansion in a first word")
            for line in ("$a", '"$a"', "l*", "l?", "~/a", "[ab]", "a$b", "{a}$b")
        ),
        *(
            (line, "substitution after a $")
            for line in ("$(a)", "${a:-b}", "a $'b'", 'a $"b"', "a $[1]", 'a "${b@P}"')
        ),
        *((line, "inside backquotes") for line in ("`a`", 'a "`b`"')),
        *((line, "inside a redirection") for line in ("a <(b)", "a >(b)")),
        *((line, "here-document") for line in ("a <<b", "a <<<b", "a <<-b")),
        *((line, "bracket of the shell's own") for line in ("(a)", "a() b", "a)")),
        *((line, "quote that is not closed") for line in ("a 'b", 'a "b', 'a "b\\"')),
        *((line, "backslash at the end of a line") for line in ("a\\", "a \\\nb", 'a "$\\\n(b)"')),
        *((line, "redirection to nowhere") for line in ("a >", "a > ; b", "a > > b", "a <\n")),
        *((line, "control character") for line in ("a\rb", "a\x00", "\x1b[2J")),
    ],
)
def test_a_line_whose_commands_cannot_be_told_is_refused_in_words(command: str, told: str) -> None:
    with pytest.raises(CommandError, match=f"^command .*{re.escape(told)}.*; "):
        first_words(command)
