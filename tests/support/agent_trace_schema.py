"""The schema of Agent Trace 0.1.0, checked by hand: where a record breaks it.

`version`, `id`, `timestamp` and `files` are required. A key that the specification does not name
counts as an error here, so that a key which we misspell is found.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

Check = Callable[[Any], bool]

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_MOST_MODEL = 250


def schema_errors(record: Any) -> list[str]:
    """Return what is wrong with a record, each error with its place: `.files[].path: missing`."""
    return list(_object(record, "", _RECORD, required=("version", "id", "timestamp", "files")))


def _object(
    value: Any, place: str, known: Mapping[str, Callable[..., Any]], *, required: tuple[str, ...]
) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: no object"
        return
    yield from (f"{place}.{name}: missing" for name in required if name not in value)
    for name, found in value.items():
        if name not in known:
            yield f"{place}.{name}: unknown"
        else:
            yield from known[name](found, f"{place}.{name}")


def _is(check: Check) -> Callable[[Any, str], Iterator[str]]:
    def complain(value: Any, place: str) -> Iterator[str]:
        if not check(value):
            yield f"{place}: {value!r}"

    return complain


def _list_of(item: Callable[[Any, str], Iterator[str]]) -> Callable[[Any, str], Iterator[str]]:
    def complain(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{place}: no list"
            return
        for found in value:
            yield from item(found, f"{place}[]")

    return complain


def _text(pattern: re.Pattern[str]) -> Callable[[Any, str], Iterator[str]]:
    return _is(lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None)


def _is_time(value: Any) -> bool:
    return (
        isinstance(value, str)
        and _TIME.fullmatch(value) is not None
        and datetime.fromisoformat(value).tzinfo is not None
    )


def _line(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_SOME = re.compile(r"(?s).+")


def _contributor(value: Any, place: str) -> Iterator[str]:
    known = {
        "type": _is(lambda found: found in ("human", "ai", "mixed", "unknown")),
        "model_id": _is(lambda found: isinstance(found, str) and len(found) <= _MOST_MODEL),
    }
    return _object(value, place, known, required=("type",))


def _range(value: Any, place: str) -> Iterator[str]:
    known = {
        "start_line": _is(_line),
        "end_line": _is(_line),
        "content_hash": _text(_SOME),
        "contributor": _contributor,
    }
    yield from _object(value, place, known, required=("start_line", "end_line"))
    if isinstance(value, dict) and value.get("start_line", 0) > value.get("end_line", 0):
        yield f"{place}: it ends before it begins"


def _related(value: Any, place: str) -> Iterator[str]:
    known = {"type": _text(_SOME), "url": _text(_URI)}
    return _object(value, place, known, required=("type", "url"))


def _conversation(value: Any, place: str) -> Iterator[str]:
    known = {
        "url": _text(_URI),
        "contributor": _contributor,
        "ranges": _list_of(_range),
        "related": _list_of(_related),
    }
    return _object(value, place, known, required=("ranges",))


def _file(value: Any, place: str) -> Iterator[str]:
    known = {
        "path": _text(_SOME),
        "conversations": _list_of(_conversation),
    }
    return _object(value, place, known, required=("path", "conversations"))


def _vcs(value: Any, place: str) -> Iterator[str]:
    known = {
        "type": _is(lambda found: found in ("git", "jj", "hg", "svn")),
        "revision": _text(_SOME),
    }
    return _object(value, place, known, required=("type", "revision"))


def _tool(value: Any, place: str) -> Iterator[str]:
    return _object(value, place, {"name": _text(_SOME), "version": _text(_SOME)}, required=())


_RECORD: Mapping[str, Callable[[Any, str], Iterator[str]]] = {
    "version": _text(re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")),
    "id": _text(_UUID),
    "timestamp": _is(_is_time),
    "vcs": _vcs,
    "tool": _tool,
    "files": _list_of(_file),
    "metadata": _is(lambda value: isinstance(value, dict)),
}
