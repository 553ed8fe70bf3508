"""What runs in the sandbox for ``read_file`` and ``write_file``: POSIX shell with the tools of any image.

They use what both busybox and coreutils have. A path reaches them as an argument and is opened by the shell,
so that no name, whatever it begins with or holds, is read as an option or as a command.
"""

from __future__ import annotations

from enum import IntEnum


class Ended(IntEnum):
    """Exit codes of the scripts that have a sentence of their own (``results``)."""

    DONE = 0
    NOT_FOUND = 64
    FOLDER = 65
    NO_FILE = 66
    DENIED = 67
    NOT_WRITTEN = 68
    NO_FOLDER = 69
    DANGLING = 70
    CUT_SHORT = 71


_NO = 'no() { echo "user $(id -u)" >&2; exit 67; }\n'
"""Ends as ``DENIED``, and says on stderr who was refused."""
READ = (
    _NO
    + """\
f=$1
if [ ! -e "$f" ]; then
  [ ! -L "$f" ] || exit 70
  d=${f%/*}
  while [ -n "$d" ] && [ ! -e "$d" ]; do d=${d%/*}; done
  [ -x "${d:-/}" ] || no
  exit 64
fi
[ ! -d "$f" ] || exit 65
[ -f "$f" ] || exit 66
[ -r "$f" ] || no
n=$(stat -L -c %s "$f") || no
echo "size $n" >&2
[ "$2" -le "$n" ] || exit 0
b=65536
s=$((($2 - 1) % b))
dd bs=$b skip=$((($2 - 1) / b)) count=$(((s + $3 - 1) / b + 1)) <"$f" 2>/dev/null |
  tail -c "+$((s + 1))" | head -c "$3"
"""
)
"""Arguments: the path, the first byte counted from 1, how many bytes. The file's size goes to stderr.

``dd`` goes by blocks to the one that holds the first byte: busybox's ``tail`` counts to 2^32 - 1 at the most,
and reads all that it leaves out.
"""

WRITE = (
    _NO
    + """\
umask 022
f=$1
if [ -L "$f" ]; then
  f=$(readlink -f "$f") && [ -n "$f" ] || exit 70
  d=${f%/*}
  [ -d "${d:-/}" ] || exit 70
fi
[ ! -d "$f" ] || exit 65
if [ -e "$f" ]; then
  [ -f "$f" ] || exit 66
  [ -w "$f" ] || no
fi
d=${f%/*}
d=${d:-/}
mkdir -p "$d" || exit 69
[ -w "$d" ] || [ "$3" = append ] || no
t=$(mktemp "${TMPDIR:-/tmp}/content.XXXXXX") || exit 68
[ "$3" = append ] || { rm -f "$t"; t=$(mktemp "$d/.boxmaker.XXXXXX") || no; }
trap 'rm -f "$t"' EXIT
cat >"$t" || exit 68
[ "$(stat -c %s "$t")" = "$2" ] || exit 71
if [ "$3" = append ]; then
  cat "$t" >>"$f" || exit 68
  sync "$f" 2>/dev/null
  exit 0
fi
m=644
[ ! -e "$f" ] || m=$(stat -c %a "$f") || exit 68
chmod "$m" "$t" || exit 68
sync "$t" 2>/dev/null
mv -f "$t" "$f" || exit 68
"""
)
"""Arguments: the path, how many bytes stand on stdin, ``replace`` or ``append``.

A file is replaced as a whole, from beside, and keeps its mode; nothing is touched before all of it came.
"""
