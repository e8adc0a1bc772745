"""A governance entry is three lines, whatever its values hold (ledger section 6)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.redaction import redacted
from intent_lsp.formats.markdown.audit_log import CallStatus, GovernanceEntry, governance_line
from tests.support import hostile_text

AT = "2026-02-19T20:10:07.480Z"
HEAD = re.compile(
    r"- (?P<at>.*) \| status=(?P<status>.*) \| tool=(?P<tool>.*) \| intent=(?P<intent>.*)"
    r" \| task=(?P<task>.*) \| model=(?P<model>.*) \| rev=(?P<rev>.*)"
)
SHORT = {"n": "\n", "r": "\r", "t": "\t"}
ALIVE_AS_IT_SHOULD = [
    *("bullet_list_open", "list_item_open", "paragraph_open"),
    *("paragraph_close", "list_item_close", "bullet_list_close"),
]


def entry(**values: object) -> GovernanceEntry:
    known: dict[str, object] = {
        "at": AT,
        "status": CallStatus.DENIED,
        "tool": "write_to_file",
        "intent_id": None,
        "session_id": "s-1",
        "model": "a-model",
        "revision": "0f3c",
    }
    return GovernanceEntry(**{**known, **values})  # type: ignore[arg-type]


def read_value(text: str) -> str:
    """Undo the escapes of one value."""
    return re.sub(
        r"\\(?:([nrt])|x(\w{2})|u(\w{4})|U(\w{8}))",
        lambda found: (
            SHORT[found[1]] if found[1] else chr(int(found[2] or found[3] or found[4], 16))
        ),
        text,
    )


def read_entry(text: str) -> GovernanceEntry:
    """Read an entry back from its three lines."""
    head, paths, constraints, rest = text.split("\n")
    found = HEAD.fullmatch(head)
    assert found
    assert rest == ""
    assert head.count("|") == 6
    values = {name: read_value(value) for name, value in found.groupdict().items()}
    return GovernanceEntry(
        at=values["at"],
        status=CallStatus(values["status"]),
        tool=values["tool"],
        intent_id=None if found["intent"] == "none" else values["intent"],
        session_id=values["task"],
        model=values["model"],
        revision=values["rev"],
        touched_paths=read_list(paths.removeprefix("  touched_paths="), "`", ", "),
        constraints=read_list(constraints.removeprefix("  sidecar_constraints="), '"', " | "),
    )


def read_list(text: str, quote: str, between: str) -> tuple[str, ...]:
    if text == "(none)":
        return ()
    values = re.findall(f"{quote}([^{quote}]*){quote}", text)
    assert between.join(f"{quote}{value}{quote}" for value in values) == text
    return tuple(map(read_value, values))


def test_an_entry_is_spelled_as_the_format_says() -> None:
    denied = entry(touched_paths=("src/a.ts", "src/b.ts"), constraints=("No x", "Only y"))
    assert governance_line(denied) == (
        "- 2026-02-19T20:10:07.480Z | status=DENIED | tool=write_to_file | intent=none | task=s-1"
        " | model=a-model | rev=0f3c\n"
        "  touched_paths=`src/a.ts`, `src/b.ts`\n"
        '  sidecar_constraints="No x" | "Only y"\n'
    )


def test_an_empty_list_is_none() -> None:
    assert governance_line(entry(status=CallStatus.OK, intent_id="INT-1", tool="editor/save")) == (
        "- 2026-02-19T20:10:07.480Z | status=OK | tool=editor/save | intent=INT-1 | task=s-1"
        " | model=a-model | rev=0f3c\n"
        "  touched_paths=(none)\n"
        "  sidecar_constraints=(none)\n"
    )


@pytest.mark.parametrize(
    ("value", "in_prose", "in_code"),
    [
        ("src/__init__.py", r"src/\x5f\x5finit\x5f\x5f.py", "src/__init__.py"),
        ("mcp__server__tool", "mcp__server__tool", "mcp__server__tool"),
        ("src/**", r"src/\x2a\x2a", "src/**"),
        ("a\r\n\tb", r"a\r\n\tb", r"a\r\n\tb"),
        ('`"|', r"\x60\x22\x7c", r"\x60\x22\x7c"),
        ("a\\n", r"a\x5cn", r"a\x5cn"),
        (" a b ", r"\x20a b\x20", r"\x20a b\x20"),
        ("<b>@x&lt;", r"\x3cb\x3e\x40x\x26lt;", r"\x3cb\x3e\x40x\x26lt;"),
        ("[a](b)", r"\x5ba\x5d(b)", r"\x5ba\x5d(b)"),
        ("[REDACTED]", r"\x5bREDACTED\x5d", r"\x5bREDACTED\x5d"),
        ("http://x", r"http\x3a//x", r"http\x3a//x"),
        ("WWW.x.y", r"WWW\x2ex.y", "WWW.x.y"),
        ("\u202e\u2028\x85\U000e0041\udcff", r"\u202e\u2028\x85\U000e0041\udcff", None),
        ("é 日本 (none)", "é 日本 (none)", "é 日本 (none)"),
        ("ghp_" + "a1" * 18 + "(x)", r"[redacted]\x28x)", r"[redacted]\x28x)"),
    ],
)
def test_a_value_cannot_end_or_mean_something_else(
    value: str, in_prose: str, in_code: str | None
) -> None:
    head, paths, constraints, _ = governance_line(
        entry(tool=value, touched_paths=(value,), constraints=(value,))
    ).split("\n")
    assert f" | tool={in_prose} | " in head
    assert paths == f"  touched_paths=`{in_prose if in_code is None else in_code}`"
    assert constraints == f'  sidecar_constraints="{in_prose}"'


@pytest.mark.parametrize(
    ("at", "spelled"),
    [
        ("2026-02-19T21:10:07+01:00", "2026-02-19T21:10:07+01:00"),
        ("# x", r"\x23\x20x"),
        ("-", r"\x2d"),
        ("1.", r"1\x2e"),
        ("1. x", r"1.\x20x"),
        ("\u3164_", r"\u3164\x5f"),
        ("", ""),
    ],
)
def test_a_moment_begins_neither_a_heading_nor_a_list(at: str, spelled: str) -> None:
    assert governance_line(entry(at=at)).startswith(f"- {spelled} | status=DENIED | ")


def test_an_intent_that_is_called_none_is_not_none() -> None:
    assert r" | intent=\x6eone | " in governance_line(entry(intent_id="none"))


def test_an_empty_name_names_no_file() -> None:
    assert "touched_paths=(none)\n" in governance_line(entry(touched_paths=("",)))


several = st.lists(hostile_text.texts(), max_size=3).map(tuple)
entries = st.builds(
    GovernanceEntry,
    at=st.just(AT) | hostile_text.texts(),
    status=st.sampled_from(CallStatus),
    tool=hostile_text.texts(),
    intent_id=st.none() | st.just("none") | hostile_text.texts(),
    session_id=hostile_text.texts(),
    model=hostile_text.texts(),
    revision=hostile_text.texts(),
    touched_paths=several,
    constraints=several,
)


@given(entries)
def test_every_value_can_be_read_back_without_its_secrets(given_entry: GovernanceEntry) -> None:
    intent = given_entry.intent_id
    assert read_entry(governance_line(given_entry)) == GovernanceEntry(
        at=redacted(given_entry.at),
        status=given_entry.status,
        tool=redacted(given_entry.tool),
        intent_id=None if intent is None else redacted(intent),
        session_id=redacted(given_entry.session_id),
        model=redacted(given_entry.model),
        revision=redacted(given_entry.revision),
        touched_paths=tuple(redacted(path) for path in given_entry.touched_paths if path),
        constraints=tuple(map(redacted, given_entry.constraints)),
    )


@given(entries)
def test_nothing_hostile_is_alive_in_an_entry(given_entry: GovernanceEntry) -> None:
    text = governance_line(given_entry)
    assert text.count("\n") == 3
    assert not hostile_text.unseen_in(text.replace("\n", ""))
    assert not set("<>@&") & set(text)
    assert not set("[]") & set(text.replace("[redacted]", ""))
    assert "://" not in text
    assert hostile_text.BODY not in text.lower()
    kinds = hostile_text.tokens(text)
    assert [kind for kind in kinds if kind not in {"text", "softbreak", "code_inline"}] == (
        ALIVE_AS_IT_SHOULD
    )
    assert kinds.count("code_inline") == sum(1 for path in given_entry.touched_paths if path)
