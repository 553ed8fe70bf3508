"""A set of grants, and hostile calls over it, each to be refused.

A call is its tool and its arguments: as values, or as the text that a model wrote.
"""

from __future__ import annotations

import json

from bxcore.grants import BUILT_IN, Grant, GrantSet, Mode, WhenUntrusted
from bxcore.grants.host_rule import host_rule
from bxcore.labels import Level


def grant(name: str, tool: str, **more: object) -> Grant:
    made = {"mode": Mode.AUTO, "text": f"{name}\n", "when_untrusted": WhenUntrusted.ALLOW, **more}
    return Grant(id=name, tool=tool, **made)  # type: ignore[arg-type]


HOSTS = ("docs.example.org", "*.example.net", "api.example.com:8443", "192.0.2.7", "xn--bcher-kva.example")
GRANTS = GrantSet.of(
    (
        *BUILT_IN,
        grant("read-notes", "read_file", paths=("/home/me/notes", "/srv/data"), max_taint=Level.SECRET),
        grant("read-keys", "read_file", mode=Mode.DENY, paths=("/home/me/notes/keys",)),
        grant("write-drafts", "write_file", paths=("/home/me/drafts",), read_only=False),
        grant("write-old", "write_file", paths=("/home/me/old",), read_only=True),
        grant("look", "shell", commands=("ls", "wc", "grep", "cat", "[", "echo", "sort", "git")),
        grant("no-push", "shell", mode=Mode.DENY, commands=("dd",)),
        grant(
            "docs", "http_fetch", hosts=tuple(str(host_rule(host)) for host in HOSTS), methods=("GET", "HEAD")
        ),
        grant("no-ads", "http_fetch", mode=Mode.DENY, hosts=("ads.example.net",)),
    )
)


def call(tool: str, text: str | None = None, /, **arguments: object) -> tuple[str, str]:
    return tool, json.dumps(arguments) if text is None else text


def each(tool: str, key: str, values: tuple[str, ...], **more: object) -> list[tuple[str, str]]:
    return [call(tool, **{key: value}, **more) for value in values]


HOSTILE_PATHS = [
    *each(
        "read_file",
        "path",
        (
            *(
                "/etc/passwd",
                "/",
                "//",
                "/home/me",
                "/home/me/notes2/a",
                "/home/me/notes.md",
                "/home/me/note",
            ),
            *(
                "/home/me/notes/../.ssh/id_ed25519",
                "/home/me/notes/a/../../.ssh/x",
                "/srv/data/../../etc/shadow",
            ),
            *("../x", "a/../../x", "./../x", "..", "/..", "/home/me/notes/../../../../../etc"),
            *("/HOME/ME/NOTES/a", "/home/me/Notes/a", "/proc/self/environ", "/proc/1/cwd/a"),
            *(
                "/home/me/notes/keys/id",
                "/home/me/notes//keys/./id",
                "/home/me/notes/x/../keys",
                "",
            ),
            *(
                "   ",
                "/home/me/notes/a\0.md",
                "/home/me/notes/\u202ecod.md",
                "/home/me/notes/a\nb",
                "a\u200bb",
            ),
            *("/home/me/n\u043etes/a", "/home/me/notes\uff0fa", "a" * 4097, "/home/me/notes\u2028/a"),
        ),
    ),
    *each(
        "write_file",
        "path",
        (
            *("/home/me/notes/a", "/home/me/old/a", "/home/me/drafts2/a", "/home/me/drafts/../.bashrc"),
            *("/etc/cron.d/x", "/home/me/.ssh/authorized_keys", "/home/me/draft"),
        ),
        content="x",
    ),
    call("write_file", path="/home/me/drafts/a", content="x" * 262_145),
]
HOSTILE_HOSTS = each(
    "http_fetch",
    "url",
    (
        *("http://example.org/", "https://docs.example.org.evil.test/", "https://evil.test/docs.example.org"),
        *(
            "https://docs.example.org@evil.test/",
            "https://evil.test#@docs.example.org/",
            "https://evil.test?docs.example.org",
        ),
        *("https://docs.example.org:8443/", "https://docs.example.org:80/", "http://docs.example.org:443/"),
        *(
            "https://example.net/",
            "https://xexample.net/",
            "https://a.example.net.evil.test/",
            "https://api.example.com/",
        ),
        *(
            "https://ads.example.net/x",
            "https://ADS.example.net./x",
            "ftp://docs.example.org/",
            "file:///etc/passwd",
        ),
        *(
            "https://docs.example.org\\@evil.test/",
            "https://docs.example.org%2eevil.test/",
            "https:docs.example.org",
        ),
        *(
            "//docs.example.org/",
            "https:///docs.example.org/",
            "https://docs.ex\u0430mple.org/",
            "https://docs.example.org%00.evil.test/",
        ),
        *(
            "http://3221225991/",
            "http://0xc0000207/",
            "http://0300.0.2.7/",
            "http://192.0.2.07/",
            "http://192.0.519/",
        ),
        *(
            "http://127.0.0.1/",
            "http://localhost/",
            "http://[::1]/",
            "http://[::ffff:192.0.2.7]/",
            "http://169.254.169.254/latest/",
        ),
        *(
            "http://1.192.0.2.7/",
            "javascript:alert(1)",
            "https://docs.example.org:99999/",
            "https://docs..example.org/",
        ),
        *(
            "https://b\u00fccher.exampel/",
            "https://user:pw@docs.example.org/",
            "https://" + "a" * 2049,
            "https://docs.example.org /",
        ),
    ),
)
HOSTILE_FETCHES = [
    call("http_fetch", url="https://docs.example.org/", method="POST", body="x"),
    call("http_fetch", url="https://docs.example.org/", method="DELETE"),
    call("http_fetch", url="https://docs.example.org/", method="get"),
    call("http_fetch", url="https://docs.example.org/", headers={"Host": "evil.test"}),
    call("http_fetch", url="https://docs.example.org/", headers={"X": "a\r\nHost: evil.test"}),
    call("http_fetch", url="https://docs.example.org/", headers={"Transfer-Encoding": "chunked"}),
    call("http_fetch", url="https://docs.example.org/", headers={f"X-{n}": "a" for n in range(17)}),
    call("http_fetch", url="https://docs.example.org/", max_bytes=10**9),
]
HOSTILE_COMMANDS = each(
    "shell",
    "command",
    (
        *(
            "rm -rf /",
            "ls; rm -rf /",
            "ls && rm x",
            "ls || rm x",
            "ls | sh",
            "ls & rm x",
            "ls\nrm x",
            "ls;rm x",
        ),
        *(
            "$(rm x)",
            "ls $(rm x)",
            "ls `rm x`",
            'echo "$(rm x)"',
            'echo "`rm x`"',
            "cat <(rm x)",
            "cat >(rm x)",
        ),
        *(
            "X=1 rm x",
            "PATH=. ls",
            "LD_PRELOAD=./x.so ls",
            "(rm x)",
            "{ rm x; }",
            "! rm x",
            "if ls; then rm x; fi",
        ),
        *(
            "cat <<E\n$(rm x)\nE",
            "cat <<< x",
            "$SHELL -c ls",
            "${x:-rm} x",
            "$x",
            '"$x"',
            "l* x",
            "/bin/ls",
            "./ls",
        ),
        *(
            "ls() { rm x; }; ls",
            "for f in *; do rm $f; done",
            "function ls { rm x; }",
            "echo ${x@P}",
            "echo $'a'",
        ),
        *(
            "\\rm x",
            "'rm' x",
            '"rm" x',
            "r''m x",
            "ls \\\nrm",
            "ls \\",
            "echo 'a",
            'echo "a',
            "ls >",
            "ls > > x",
        ),
        *(
            "dd if=/dev/zero",
            "ls; /bin/dd",
            "ls\rrm",
            "ls \x1b[2J",
            "time rm x",
            "~/ls",
            "ls\u00a0; rm x",
            "10>f ls",
        ),
        *(
            "echo $[1+$(rm x)]",
            "2>f rm x",
            ">f rm x",
            "ls 2>&1 >f; rm x",
            "# ls\nrm x",
            "ls #\nrm x",
            "ls '#'; rm x",
        ),
    ),
)
HOSTILE_JSON = [
    *(
        call("read_file", text)
        for text in (
            *(
                "",
                "[]",
                "null",
                "3",
                '"a"',
                "{",
                '{"path":"a"',
                '{"path":"a"} x',
                '{"path":"a","path":"/etc/x"}',
            ),
            *(
                '{"path":1}',
                '{"path":null}',
                '{"path":["a"]}',
                '{"Path":"a"}',
                '{"path":"a","mode":"w"}',
                "{}",
            ),
            *('{"path":"a","offset":-1}', '{"path":"a","offset":"0"}', '{"path":"a","limit":true}'),
            *('{"path":"a","limit":1e9}', '{"path":"a","limit":NaN}', '{"path":"a","limit":262145}'),
            *('{"path":"\\ud800"}', '{"path":"a","offset":9223372036854775808}', "\ufeff" + '{"path":"a"}'),
            *("[" * 40 + "]" * 40, '{"path":' + '"a' * 70_000, '{"path":"a","offset":' + "9" * 5000 + "}"),
        )
    ),
    *(
        call(name, path="a")
        for name in ("Read_File", "read_file ", "read_file\0", "functions.read_file", "", "readfile")
    ),
    *(
        call(name, '{"path":"a"}')
        for name in ("x" * 70_000, "read\u200b_file", "READ_FILE", "\uff52ead_file", "sudo")
    ),
    call("shell", command="ls", timeout_s=301),
    call("shell", command="ls", timeout_s="5"),
    call("shell", command="l" * 8193),
    call("shell", command=["ls"]),
    call("shell", command=""),
    call("recall", query="", k=5),
    call("recall", query="x", k=11),
    call("memory", action="wipe", file="memory"),
    call("ask_memory", question="q", workspaces=["../other"]),
]
HOSTILE = [*HOSTILE_PATHS, *HOSTILE_HOSTS, *HOSTILE_FETCHES, *HOSTILE_COMMANDS, *HOSTILE_JSON]
