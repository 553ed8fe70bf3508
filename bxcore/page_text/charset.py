"""A body's characters: by its mark, its header, its own word, else UTF-8; what does not fit is replaced."""

from __future__ import annotations

import codecs
import re

FALLBACK = "utf-8"
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_LOOKED_AT = 1024
"""Bytes in which a page says its own charset (WHATWG)."""
_READ = re.compile(
    r"utf-8|utf-16(?:-le|-be)?|cp125\d|iso8859-\d+|koi8-[rut]|gb2312|gbk|gb18030|big5|euc_(?:jp|kr)"
    r"|shift_jis|iso2022_jp|cp(?:866|874|932|949)|mac-roman|mac-cyrillic|tis-620"
)
"""The codecs that pages are written in; others of Python's turn text into anything, or take for ever."""
_AS_BROWSERS_DO = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}


def decode(content_type: str, body: bytes) -> str:
    """Turn bytes into text; never raises."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    return body.decode(_codec(content_type, body), "replace")


def _codec(content_type: str, body: bytes) -> str:
    told = _PARAMETER.search(content_type)
    if told is not None and (codec := _known(told[1])) is not None:
        return codec
    meta = _META.search(body[:_LOOKED_AT])
    codec = _known(meta[1].decode("ascii")) if meta is not None else None
    if codec is None or codec.startswith("utf-16"):  # who can read that word in it is no UTF-16
        return FALLBACK
    return codec


def _known(name: str) -> str | None:
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    codec = _AS_BROWSERS_DO.get(codec, codec)
    return codec if _READ.fullmatch(codec) else None
