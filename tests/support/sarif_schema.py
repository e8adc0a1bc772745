"""SARIF 2.1.0, checked by hand: where a log breaks the specification, for the keys that we write.

The keys, their types and their limits are those of the specification's third clause. A key that is
not named here counts as an error, so that a key which we misspell is found.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Complain = Callable[[Any, str], Iterator[str]]

_URI_REFERENCE = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LEVELS = ("none", "note", "warning", "error")


def sarif_errors(log: Any) -> list[str]:
    """Return what is wrong with a log, each error with its place: `.runs[0].tool: missing`."""
    return [*_log(log, ""), *_references(log)]


def _is(kind: type) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        # In Python a truth value is a number, too.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"{place}: no {kind.__name__}"

    return complain


def _at_least(least: int) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        yield from _is(int)(value, place)
        if isinstance(value, int) and value < least:
            yield f"{place}: less than {least}"

    return complain


def _one_of(*values: str) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        if value not in values:
            yield f"{place}: {value!r} is none of {', '.join(values)}"

    return complain


def _object(known: Mapping[str, Complain], *required: str) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{place}: no object"
            return
        yield from (f"{place}.{name}: missing" for name in required if name not in value)
        for name, found in value.items():
            if name in known:
                yield from known[name](found, f"{place}.{name}")
            else:
                yield f"{place}.{name}: unknown"

    return complain


def _map(each: Complain) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{place}: no object"
            return
        for name, found in value.items():
            yield from each(found, f"{place}[{name}]")

    return complain


def _list(each: Complain, *, unique: bool = False) -> Complain:
    def complain(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{place}: no array"
            return
        for number, found in enumerate(value):
            yield from each(found, f"{place}[{number}]")
        if unique and len({repr(found) for found in value}) != len(value):
            yield f"{place}: an item twice"

    return complain


def _uri_reference(value: Any, place: str) -> Iterator[str]:
    if not isinstance(value, str) or not _URI_REFERENCE.fullmatch(value):
        yield f"{place}: no URI reference"


def _relative(value: Any, place: str) -> Iterator[str]:
    """Clause 3.4.4: with `uriBaseId`, the URI is relative, and has no `..` at its beginning."""
    yield from _uri_reference(value, place)
    if isinstance(value, str) and (_SCHEME.match(value) or value.startswith(("/", "../"))):
        yield f"{place}: not relative"


def _region(value: Any, place: str) -> Iterator[str]:
    known = {"startLine": _at_least(1), "endLine": _at_least(1)}
    yield from _object(known, "startLine")(value, place)
    if isinstance(value, dict) and value.get("endLine", 1) < value.get("startLine", 1):
        yield f"{place}: ends before it begins"


_text = _object({"text": _is(str), "markdown": _is(str)}, "text")
_location = _object(
    {
        "physicalLocation": _object(
            {
                "artifactLocation": _object({"uri": _relative, "uriBaseId": _is(str)}, "uri"),
                "region": _region,
            },
            "artifactLocation",
        )
    }
)
_rule = _object(
    {
        "id": _is(str),
        "name": _is(str),
        "shortDescription": _text,
        "fullDescription": _text,
        "help": _text,
    },
    "id",
)
_driver = _object(
    {"name": _is(str), "semanticVersion": _is(str), "rules": _list(_rule, unique=True)}, "name"
)
_result = _object(
    {
        "ruleId": _is(str),
        "ruleIndex": _at_least(-1),
        "level": _one_of(*_LEVELS),
        "message": _text,
        "locations": _list(_location),
        "partialFingerprints": _map(_is(str)),
        "properties": _map(lambda _value, _place: iter(())),
    },
    "message",
)
_invocation = _object(
    {
        "executionSuccessful": _is(bool),
        "exitCode": _is(int),
        "toolExecutionNotifications": _list(
            _object({"level": _one_of(*_LEVELS), "message": _text}, "message")
        ),
    },
    "executionSuccessful",
)
_run = _object(
    {
        "tool": _object({"driver": _driver}, "driver"),
        "columnKind": _one_of("utf16CodeUnits", "unicodeCodePoints"),
        "originalUriBaseIds": _map(_object({"description": _text})),
        "results": _list(_result),
        "invocations": _list(_invocation),
    },
    "tool",
)
_log = _object(
    {"$schema": _uri_reference, "version": _one_of("2.1.0"), "runs": _list(_run)}, "version", "runs"
)


def _references(log: Any) -> Iterator[str]:
    """Yield what no schema can say: a result whose rule is another one (clause 3.27.6)."""
    for run in log.get("runs", ()):
        rules = run["tool"]["driver"].get("rules", [])
        for result in run.get("results", ()):
            rule = rules[result["ruleIndex"]] if result["ruleIndex"] < len(rules) else {}
            if rule.get("id") != result["ruleId"]:
                yield f"{result['ruleId']}: ruleIndex leads to another rule"
