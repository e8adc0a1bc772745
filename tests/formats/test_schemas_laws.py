"""Laws of the published schemas over generated files: they and the server say the same."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import assume, event, given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator
from pydantic import ValidationError

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding
from intent_lsp.core.ledger.chain import ChainCursor, draft
from intent_lsp.core.records import Event
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.ledger.jsonl import examine, seal
from intent_lsp.formats.ledger.schema import WireRecord
from intent_lsp.formats.schemas.json_schema import MODELS, json_schema
from tests.support.ledgers import START, edit, events, ledger_at, lines_of, new_id
from tests.support.yaml_values import values_of

KINDS = {FileCode.WRONG_TYPE, FileCode.MISSING_ID, FileCode.UNKNOWN_STATUS}

TEXTS = ("x", "two words", '"quoted"', "'it''s'", "no", "Yes", "001", "1.5", "-3", '"~"', "Ünï😀")
DATES = ('"2026-01-01T00:00:00Z"', "'2026-01-01'")
NOTHING = ("", "~", "null")
LISTS = ("[]", "[x]", "[\"a b\", 'c']", "[no, 001, 1.5]", "\n      - x\n      - 'y: z'")
GLOBS = ('["src/**"]', "[a, 'b/**']", "\n      - src/*.py\n      - 7")
STATUSES = ("PLANNED", "in_progress", "Done", "' ACTIVE '", '"archived"', "blocked", "draft")
WRONG = ("[[a]]", "{a: b}", "[{a: b}]", "[]", "x", "7", "odd", "[~]", "[null, a]", '""', *NOTHING)

_RIGHT = {
    "id": ("INT-1", "001", "no", '"7"', "1.5"),
    "name": TEXTS + NOTHING,
    "status": STATUSES + NOTHING,
    "owned_scope": GLOBS,
    "constraints": LISTS + NOTHING,
    "acceptance_criteria": LISTS + NOTHING,
    "related_files": LISTS + NOTHING,
    "recent_history": LISTS + NOTHING,
    "aliases": LISTS + NOTHING,
    "specification_id": TEXTS + NOTHING,
    "created_at": DATES + NOTHING,
    "updated_at": DATES + NOTHING,
    "title": TEXTS + NOTHING,
    "description": (*TEXTS, "{a: [b]}"),
    "spec_id": TEXTS,
    "note": (*TEXTS, "[a, {b: c}]"),
}
_OTHER = ("scope", "ownedScope", "intent_id", "reqId", "createdAt", "constraint", "owned-scope")


@st.composite
def entries(draw: st.DrawFn, *, wrong: int) -> str:
    """Draw an intent in which `wrong` values of keys, at most, may be of another kind."""
    chosen = draw(st.sets(st.sampled_from(sorted(_RIGHT)))) | {"id", "owned_scope"}
    lines = {key: draw(st.sampled_from(_RIGHT[key])) for key in sorted(chosen)}
    for _ in range(wrong):
        key = draw(st.sampled_from([*_RIGHT, *_OTHER, "active_intents"]))
        if draw(st.booleans()):
            lines[key] = draw(st.sampled_from(WRONG))
        else:
            lines.pop(key, None)
    ordered = draw(st.permutations(sorted(lines)))
    rows = [f"{key}: {lines[key]}".rstrip(" ") for key in ordered] or ["{}"]
    return "  - " + "\n    ".join(rows)


@st.composite
def intents_files(draw: st.DrawFn) -> str:
    wrong = draw(st.sampled_from([0, 0, 1, 1, 2]))
    root = draw(st.sampled_from(["active_intents"] * 9 + ["intents", "active_intent"]))
    kept = draw(st.sampled_from(["", "", "active_intent: INT-1\n", "note: [a]\n"]))
    listed = draw(st.lists(entries(wrong=wrong), max_size=2))
    body = "\n".join(listed) or draw(st.sampled_from([" []", "", " {}", " x", "  - x"]))
    return f"{kept}{root}:\n{body}\n"


_WORD_KEYS = {
    "enforcement": ("warn", "Block", "' observe '", '"WARN"'),
    "agents": ("block", "warn"),
    "agents_inherit": ("none", "editor", "NONE"),
    "hitl": ("never", "out_of_scope", "Out-Of-Scope", "always"),
    "contract": ("ignore", "deny"),
    "record_saves": ("runs", "each"),
    "ledger": ("single", "segments"),
}
_FLAGS = ("true", "False", "yes", "No", "on", "OFF", '"true"', "'no'")
_FLAG_KEYS = ("fail_open", "require_checkout", "require_read", "complete_on_attempt")
_LIST_KEYS = ("architectural_constraints", "blocked_tools", "mutating_tools", "read_only_tools")
_POLICY = {
    **_WORD_KEYS,
    **dict.fromkeys((*_FLAG_KEYS, "history_in_yaml"), _FLAGS),
    **dict.fromkeys(_LIST_KEYS, LISTS),
    **dict.fromkeys(("spec_iteration_globs", "generated"), GLOBS),
    "version": ("0", "7", "1000000"),
    "hitl_timeout_seconds": ("1", "86400"),
    "hitl_by": ("[editor]", "[Elicitation, EDITOR, editor]"),
    "deny_mutations": ('[{path_glob: "a/**"}]', "[{path_glob: a, reason: 7}, {path_glob: no}]"),
    "lessons": ("{}", "{violations: A.md}", "{verification: docs/V.md, violations: }"),
    "privacy": ("{}", "{authors: none}", "{session_ids: Hashed, urls: }"),
}
_BROKEN = (
    *("[[a]]", "{a: b}", "x", "-1", "2000000", "odd", "[~]", '""', "1.5", "[editor, x]", "[x]"),
    *("[{reason: a}]", "[{path_glob: }]", "[{path_glob: [a]}]", "{violations: [a]}", "[]", "{}"),
    *("{authors: x}", "{urls: [keep]}", "[{path_glob: a, x: b}]", "{x: y}", "maybe", "0", "'5'"),
)


@st.composite
def policy_files(draw: st.DrawFn) -> str:
    chosen = draw(st.sets(st.sampled_from(sorted(_POLICY))))
    lines = {key: draw(st.sampled_from([*_POLICY[key], *NOTHING])) for key in sorted(chosen)}
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        key = draw(st.sampled_from([*sorted(_POLICY), "failOpen", "path_glob", "whatever"]))
        lines[key] = draw(st.sampled_from(_BROKEN))
    root = draw(st.sampled_from(["sidecar:"] * 9 + ["other:"]))
    rows = [f"  {key}: {value}".rstrip(" ") for key, value in lines.items()]
    return "\n".join([root, *rows]) + "\n"


@cache
def validators(name: str) -> tuple[Any, Any]:
    schema = json_schema(name)
    return Draft202012Validator(schema), Draft7Validator(schema)


def validates(name: str, value: Any) -> bool:
    """Return whether a value is valid; the two drafts and the model have to agree."""
    one, other = (validator.is_valid(value) for validator in validators(name))
    try:
        MODELS[name].model_validate(value)
    except ValidationError:
        accepted = False
    else:
        accepted = True
    assert one == other == accepted
    return accepted


def in_normal_form(value: Any) -> bool:
    """Return whether a file without findings is in the normal form.

    Two are not, although there is nothing to mend: null in a list (`- ~`), which no other program
    reads as a text, and an empty mapping in the place of the list of intents.
    """
    return not _has_null_item(value) and value.get("active_intents") != {}


def _has_null_item(value: Any) -> bool:
    if isinstance(value, list):
        return any(each is None or _has_null_item(each) for each in value)
    return isinstance(value, dict) and any(map(_has_null_item, value.values()))


def check(name: str, text: str, findings: tuple[Finding, ...], kinds: set[FileCode]) -> None:
    for value in values_of(text):
        valid = validates(name, value)
        event(f"{'valid' if valid else 'invalid'}, {'findings' if findings else 'none'}")
        if not findings and in_normal_form(value):
            assert valid
        if valid:
            assert [found for found in findings if found.code in kinds] == []


@given(intents_files())
def test_the_schema_and_the_server_agree_on_intents(text: str) -> None:
    read = read_intents(text)
    assert read.parsed
    check("intents", text, read.findings, KINDS)


@given(st.lists(entries(wrong=0), min_size=1, max_size=1))
def test_an_intent_in_the_normal_form_has_no_finding_and_validates(listed: list[str]) -> None:
    text = "active_intents:\n" + "\n".join(listed) + "\n"
    read = read_intents(text)
    stand_in = {FileCode.OTHER_FORM}
    assume(not {found.code for found in read.findings} & stand_in)
    assert read.findings == ()
    assert len(read.intents) == 1
    assert all(validates("intents", value) for value in values_of(text))


@given(policy_files())
def test_the_schema_and_the_server_agree_on_policies(text: str) -> None:
    read = read_policy(text)
    assert read.parsed
    assume(not text.startswith("other:"))
    kinds = {FileCode.WRONG_TYPE, FileCode.UNKNOWN_KEY, FileCode.BAD_VALUE}
    check("policy", text, read.findings, kinds)


def line_of(happened: Event) -> bytes:
    cursor = ChainCursor()
    prepared = draft(happened, id=new_id(), timestamp=timestamp(START), end=cursor.end)
    return seal(prepared)[1]


@given(events.map(line_of))
def test_a_record_that_we_write_validates(line: bytes) -> None:
    assert validates("record", json.loads(line))


def test_a_line_of_a_ledger_on_disk_validates(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    for name in ("a", "b"):
        ledger.append(edit(name))
    ledger.close()
    lines = lines_of(tmp_path)
    assert len(lines) == 2
    assert all(validates("record", json.loads(line)) for line in lines)


ODD = st.sampled_from([None, True, False, -1, 2**53, 1.5, "", "x" * 257, [], ["x"], {}])
WORDS = st.sampled_from(["x", "percent", "elicitation", "editor", "FAIL", "AI", "UNKNOWN", "once"])
HASHES = st.sampled_from([f"sha256:{each * 64}" for each in "0fG"] + ["sha256:0", "0" * 64])


def others(value: Any) -> st.SearchStrategy[Any]:
    """Return values that a program might have written in the place of a value."""
    match value:
        case bool():
            return st.booleans()
        case int():
            return st.integers(0, 9)
        case str() if value.startswith("sha256:"):
            return HASHES | st.none()
        case str() | None:
            return WORDS | HASHES | st.text("ab-_", max_size=3)
        case list():
            return st.sampled_from([[], value[:1], value * 2])
    return st.just({})


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return each container in a value with each of its keys or indexes."""
    if isinstance(value, dict):
        found = [(value, key) for key in value]
        return found + [place for each in value.values() for place in places(each)]
    if isinstance(value, list):
        found = [(value, at) for at in range(len(value))]
        return found + [place for each in value for place in places(each)]
    return []


def sealed(wire: Any) -> bytes:
    """Return a record as a line, with the hash that is right for it where it can have one."""
    if isinstance(wire.get("integrity"), dict) and wire["integrity"].pop("record_hash", None):
        digest = hashlib.sha256(msgspec.json.encode(wire, order="sorted")).hexdigest()
        wire["integrity"]["record_hash"] = f"sha256:{digest}"
    return msgspec.json.encode(wire) + b"\n"


@given(line=events.map(line_of), data=st.data())
def test_a_changed_record_is_accepted_by_both_or_breaks_a_rule_beyond_its_types(
    line: bytes, data: st.DataObject
) -> None:
    wire = json.loads(line)
    inside, key = data.draw(st.sampled_from(places(wire)))
    match data.draw(st.sampled_from(["other", "other", "odd", "gone", "more"])):
        case "other":
            inside[key] = data.draw(others(inside[key]))
        case "odd":
            inside[key] = data.draw(ODD)
        case "gone":
            del inside[key]
        case "more":
            # In its place on the line, so that nothing else is wrong with it.
            flag = data.draw(st.sampled_from(["inferred", "assumed", "compared", "error", "more"]))
            wire |= {flag: data.draw(st.sampled_from([True, False, "x"]))}
            order = WireRecord.__struct_encode_fields__
            wire = {name: wire[name] for name in (*order, "more") if name in wire}
    changed = sealed(wire)
    valid = validates("record", wire)
    if examine(changed).flaw is None:
        assert valid
    if valid:
        msgspec.json.decode(changed, type=WireRecord)
    event(f"{'valid' if valid else 'invalid'}, {'flaw' if examine(changed).flaw else 'none'}")
