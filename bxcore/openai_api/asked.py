"""Reading ``POST /v1/chat/completions``: a bounded body that a stranger may have written.

The box keeps its own history, so of the messages only the last one of the user is said: what stands before it
was said before, or never to this box. A client's system messages are not the owner's rules and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bxcore.config.problems import sentence_of
from bxcore.openai_api import MODEL
from bxcore.openai_api.errors import ApiError, invalid
from bxcore.openai_api.sessions import HEADER as SESSION_HEADER
from bxcore.openai_api.sessions import session_of
from bxcore.untrusted_json import UntrustedJsonError, read_object

MAX_BODY = 1_048_576
MAX_TEXT = 100_000
"""Characters of one message; a test holds it to what a session takes."""
SPEAKER_HEADER = "x-boxmaker-speaker"
APPROVALS_HEADER = "x-boxmaker-approvals"
LEAVING_HEADER = "x-boxmaker-on-disconnect"
MAX_SPEAKER = 512
"""Characters; a longer name is no Honcho peer's anyway (spec 4.5)."""
_RULES = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a client wants said. ``speaker`` None: nobody else was named, so it is the owner.

    ``waits``: a call that asks the owner waits for an answer given elsewhere. ``stops``: the turn is to end
    when the client leaves. ``usage``: a stream tells the tokens at its end.
    """

    text: str
    session: str
    speaker: str | None = None
    stream: bool = False
    usage: bool = False
    waits: bool = False
    stops: bool = False


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _Message(_Lenient):
    role: str
    content: Any = None


class _StreamOptions(_Lenient):
    include_usage: bool | None = None


class _Format(_Lenient):
    type: str


class _Body(_Lenient):
    """The keys that are looked at; all others are ignored."""

    model: str = MODEL
    messages: tuple[_Message, ...] = Field(strict=False)
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    user: str | None = None
    n: int | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    response_format: _Format | None = None
    modalities: list[Any] | None = None
    logprobs: bool | None = None


def read(body: bytes, headers: Mapping[str, str]) -> Asked | ApiError:
    """Read what is wanted; header names are lower case. Never raises."""
    found = _body(body)
    if isinstance(found, ApiError):
        return found
    problem = _cannot(found) or _bad_header(headers)
    if problem is not None:
        return problem
    text = _said(found.messages)
    if isinstance(text, ApiError):
        return text
    speaker = headers.get(SPEAKER_HEADER)
    return Asked(
        text=text,
        session=session_of(_text(headers.get(SESSION_HEADER, "")), found.user),
        speaker=None if speaker is None else _text(speaker),
        stream=bool(found.stream),
        usage=bool(found.stream_options and found.stream_options.include_usage),
        waits=headers.get(APPROVALS_HEADER) == "wait",
        stops=headers.get(LEAVING_HEADER) == "stop",
    )


def _body(body: bytes) -> _Body | ApiError:
    try:
        values = read_object(body.decode("utf-8"), max_text=MAX_BODY)
        return _Body.model_validate(values)
    except UnicodeDecodeError:
        return invalid("the body is not UTF-8 text")
    except UntrustedJsonError as error:
        return invalid(_of_body(error.sentence))
    except ValidationError as errors:
        found = errors.errors(include_url=False, include_input=False)[:3]
        sentence = "; ".join(f"{_path(each['loc'])} {_sentence(each)}" for each in found)
        return invalid(sentence, _path(found[0]["loc"]))


def _of_body(sentence: str) -> str:
    words = sentence.replace("the arguments have", "the body has").replace("hold half", "holds half")
    return words.replace("the arguments are", "the body is").replace("the arguments", "the body")


def _sentence(error: Any) -> str:
    return "must be an object" if error["type"].startswith("model_") else sentence_of(error)


def _path(parts: tuple[str | int, ...]) -> str:
    """``messages[0].role``: this interface counts from zero."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _cannot(body: _Body) -> ApiError | None:
    """Refuse what an answer would silently lack; what only colours it (``temperature``) is ignored."""
    if body.model != MODEL:
        message = f"there is no model {body.model[:64]!r} here; the one that answers is {MODEL}"
        return ApiError(status=404, message=message, param="model", code="model_not_found")
    refused = {
        "n": body.n not in {None, 1} and "one reply is made at a time; leave n out",
        "tools": body.tools and _TOOLS,
        "functions": body.functions and _TOOLS,
        "response_format": body.response_format is not None
        and body.response_format.type != "text"
        and "replies are plain text; leave response_format out",
        "modalities": body.modalities not in (None, [], ["text"]) and "replies are text; leave it out",
        "logprobs": body.logprobs and "probabilities of tokens are not known; leave logprobs out",
    }
    found = next(((key, why) for key, why in refused.items() if isinstance(why, str)), None)
    return None if found is None else invalid(found[1], found[0], "unsupported_parameter")


_TOOLS = (
    "the box has tools of its own, which its owner grants, and calls none of the client's; leave them out"
)


def _bad_header(headers: Mapping[str, str]) -> ApiError | None:
    """A name that was meant and did not arrive must not make somebody's words the owner's."""
    speaker = _text(headers.get(SPEAKER_HEADER, "-"))
    if speaker is None or not speaker.strip() or len(speaker) > MAX_SPEAKER or not speaker.isprintable():
        return invalid(
            f"{SPEAKER_HEADER} names who speaks, in 1 to {MAX_SPEAKER} visible characters of UTF-8"
        )
    if _text(headers.get(SESSION_HEADER, "-")) is None:
        return invalid(f"{SESSION_HEADER} is not UTF-8 text")
    for name, word in ((APPROVALS_HEADER, "wait"), (LEAVING_HEADER, "stop")):
        if headers.get(name, word) != word:
            return invalid(f"{name} can only be {word}; leave it out otherwise")
    return None


def _text(value: str) -> str | None:
    """A header's value, which arrives as latin-1, read as the UTF-8 that it is; None when it is none."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None


def _said(messages: tuple[_Message, ...]) -> str | ApiError:
    """The text of the last message, which must be the user's; the client's rules behind it do not count."""
    place, last = next(
        ((at, each) for at, each in reversed(list(enumerate(messages))) if each.role not in _RULES), (0, None)
    )
    if last is None or last.role != "user":
        return invalid("the last message must be of the role user; it is what is said", "messages")
    where = f"messages[{place}].content"
    text = _content(last.content, where)
    if isinstance(text, ApiError):
        return text
    if not text.strip():
        return invalid("the message is empty; write what you want to say", where)
    if len(text) > MAX_TEXT:
        sentence = f"the message has {len(text)} characters, over the limit of {MAX_TEXT}; send less at once"
        return invalid(sentence, where)
    return text


def _content(content: object, where: str) -> str | ApiError:
    """Text, or a list of parts that are text; parts are put on lines of their own."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return invalid(f"{where} must be text or a list of parts", where)
    texts = []
    for number, part in enumerate(content):
        place = f"{where}[{number}]"
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return invalid(f"{place} must be an object with a type", place)
        if part["type"] != "text":
            return invalid(f"{place} is no text; pictures, sound and files are not taken", place)
        if not isinstance(part.get("text"), str):
            return invalid(f"{place}.text must be text in quotes", f"{place}.text")
        texts.append(part["text"])
    return "\n".join(texts)
