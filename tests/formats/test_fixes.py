"""Every fix of every finding: what it leaves parses, and has fewer findings."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Severity
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.formats.intents.policy_file import PolicyFile, read_policy
from tests.formats.test_intents_yaml import FLAWS, FORMS, entry, shown


def many(*ids: str) -> str:
    """Give a file of intents with these ids and a scope each."""
    entries = "".join(f"- id: {each}\n  owned_scope: [{n}/**]\n" for n, each in enumerate(ids))
    return "active_intents:\n" + entries


def dated(*dates: str) -> str:
    keys = ("created_at", "updated_at")
    return entry(*(f"{key}: {date}" for key, date in zip(keys, dates, strict=False) if date))


# The text, the code, the severity, the text of its place, and what the fix makes of it, or None.
NEW = [
    (dated('"yesterday"'), FileCode.BAD_DATE, 2, '"yesterday"', None),
    (dated('"2026-02-30"'), FileCode.BAD_DATE, 2, '"2026-02-30"', None),
    (dated('"2026-13-01T00:00:00Z"'), FileCode.BAD_DATE, 2, '"2026-13-01T00:00:00Z"', None),
    (dated("'2026/1/5'"), FileCode.BAD_DATE, 2, "'2026/1/5'", '"2026-01-05"'),
    (dated("2026-1-5"), FileCode.BAD_DATE, 2, "2026-1-5", '"2026-01-05"'),
    (dated("", '"31.01.2026"'), FileCode.BAD_DATE, 2, '"31.01.2026"', '"2026-01-31"'),
    (dated("", '"01.02.2026"'), FileCode.BAD_DATE, 2, '"01.02.2026"', None),
    (dated("", '"Feb 16, 2026"'), FileCode.BAD_DATE, 2, '"Feb 16, 2026"', '"2026-02-16"'),
    (
        dated("", '"2026-02-16 12:00:00 +0100"'),
        FileCode.BAD_DATE,
        2,
        '"2026-02-16 12:00:00 +0100"',
        '"2026-02-16T12:00:00+0100"',
    ),
    (dated('"1767225600"'), FileCode.BAD_DATE, 2, '"1767225600"', '"2026-01-01T00:00:00Z"'),
    (dated('"2026-02-02"', '"2026-01-30"'), FileCode.BAD_DATE, 2, '"2026-01-30"', None),
    (
        dated('"2026-02-02T10:00:00+02:00"', '"2026-02-02T07:59:59Z"'),
        FileCode.BAD_DATE,
        2,
        '"2026-02-02T07:59:59Z"',
        None,
    ),
    (many("INT-001", "INT-002", "INT-003", "int-4"), FileCode.ID_STYLE, 4, "int-4", None),
    (many("INT-001", "INT-002", "INT-003", "INT-4"), FileCode.ID_STYLE, 4, "INT-4", None),
    (many("INT-1", "INT-2", "INT-03", "INT-10"), FileCode.ID_STYLE, 4, "INT-03", None),
    (many("INT_1", "INT-2", "INT-3", "INT-10"), FileCode.ID_STYLE, 4, "INT_1", None),
    (many("log-in", "log-out", "bill-x", "X"), FileCode.ID_STYLE, 4, "X", None),
    (
        "active_intents:\n- id: A\n  scope: {paths: [a/**], exclude: [a/b]}\n",
        FileCode.UNKNOWN_KEY,
        2,
        "exclude",
        None,
    ),
    (many("INT-001", "X", "'X'"), FileCode.DUPLICATE_ID, 1, "'X'", "'INT-002'"),
    (many("'a b'"), FileCode.ID_STYLE, 4, "'a b'", None),
    (many("'a '"), FileCode.ID_STYLE, 4, "'a '", None),
    (many("a:b"), FileCode.ID_STYLE, 4, "a:b", None),
    (many("'#12'"), FileCode.ID_STYLE, 4, "'#12'", None),
    (many("a..b"), FileCode.ID_STYLE, 4, "a..b", None),
    (many("x.lock"), FileCode.ID_STYLE, 4, "x.lock", None),
]


@pytest.mark.parametrize(("text", "code", "severity", "place", "change"), NEW)
def test_a_finding_stands_at_its_place(
    text: str, code: FileCode, severity: int, place: str, change: str | None
) -> None:
    (found,) = (found for found in read_intents(text).findings if found.code is code)
    assert found.severity is Severity(severity)
    assert shown(text, found) == place
    assert [fix.changes[0].new_text for fix in found.fixes] == ([change] if change else [])


def test_the_example_for_an_odd_id_is_an_id_that_is_not_odd() -> None:
    findings = read_intents(many("INT-1", "INT-002", "INT-003", "INT-004")).findings
    (message,) = (found.message for found in findings if found.code is FileCode.ID_STYLE)
    assert message.startswith("the id `INT-1` ")
    assert message.endswith(", such as `INT-002`")


@pytest.mark.parametrize(
    "text",
    [
        dated('"2026-02-16"', '"2026-02-16"'),
        dated('"2026-02-16T23:00:00-10:00"', '"2026-02-17"'),
        dated('"2026-02-16"', '"2026-02-15T20:00:00Z"'),
        dated('"2026-02-16T12:00:00"', '"2026-02-16T00:00:00Z"'),
        dated('"2026"', '"2026-02"'),
        dated('"2026-W07"', '"2026-W07-1"'),
        dated('"2026-047"', '"20260216T120000Z"'),
        dated('"9999-12-31"', '"9999-12-31T23:59:59Z"'),
        dated("~", "null"),
        dated('""', '""'),
        many("INT-001", "INT-999", "INT-1000", "REQ-001"),
        many("INT-1", "INT-2", "INT-30", "INT-400"),
        many("INT-001", "other"),
        many("A", "B", "INT-1", "x-y"),
        many("ü-é", "日本-1", "a/b", "v1.2"),
    ],
)
def test_what_is_right_has_no_finding(text: str) -> None:
    assert read_intents(text).findings == ()


def test_an_update_before_the_creation_points_to_it() -> None:
    text = dated('"2026-02-02"', '"2026-01-30"')
    (found,) = read_intents(text).findings
    assert [shown(text, Finding(**_at(found, place.span))) for place in found.related] == [
        '"2026-02-02"'
    ]


def _at(found: Finding, span: object) -> dict[str, object]:
    return {"code": found.code, "severity": found.severity, "message": "", "span": span}


NAMELESS = [
    ("- owned_scope: [a]\n", "- id: INT-001\n  owned_scope: [a]\n"),
    ("-\n  # c\n  owned_scope: [a]\n", "-\n  # c\n  id: INT-001\n  owned_scope: [a]\n"),
    ("- id:\n  owned_scope: [a]\n", "- id: INT-001\n  owned_scope: [a]\n"),
    ("- id: ~\n  owned_scope: [a]\n", "- id: INT-001\n  owned_scope: [a]\n"),
    ("- {owned_scope: [a]}\n", "- {id: INT-001, owned_scope: [a]}\n"),
    ('- {"owned_scope": ["a"]}\n', '- {"id": "INT-001", "owned_scope": ["a"]}\n'),
    ("- {id: , owned_scope: [a]}\n", "- {id: INT-001, owned_scope: [a]}\n"),
]


@pytest.mark.parametrize(("entries", "fixed"), NAMELESS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_entry_without_an_id_gets_the_next_free_one(entries: str, fixed: str, end: str) -> None:
    text = f"active_intents:\n{entries}".replace("\n", end)
    (found,) = read_intents(text).findings
    assert found.code is FileCode.MISSING_ID
    (fix,) = found.fixes
    assert apply_changes(text, fix.changes) == f"active_intents:\n{fixed}".replace("\n", end)


BAD = [
    *(f"active_intents:\n{entries}" for entries, _ in NAMELESS),
    *(other for other, _ in FORMS),
    *(text for text, *_ in FLAWS),
    *(text for text, *_ in NEW),
    entry("Acceptance-Criteria: [x]", "Status: DONE", "related-files: [a]"),
    entry("status: in-progress"),
    entry("status: 'Half done'", "staus: DONE", "agreements: 1"),
    entry("constraint: [x]", "crated_at: '2026'"),
    entry("ownedscope: [x]").replace('    owned_scope: ["a/**"]\n', ""),
    "active_intent:\n- id: A\n  owned_scope: [a]\n",
    "activeintents:\n- id: A\n  owned_scope: [a]\n",
    "active_intents:\n- id: A\n  scope: {Paths: [a], path: [b]}\n",
    "active_intents:\n- id: A\n  owned_scope: [/src/**, ' b/** ', src, '**.ts', ./c, '!./d']\n",
    "active_intents:\n- id: A\n  owned_scope: [a\\b\\c, '#x', '', ~/a, 'https://x', a/../b]\n",
    "active_intents:\n- id: A\n  owned_scope:\n  - *.py\n  - !gen/**\n  - {a,b}/*\n  - a: b\n",
    "active_intents:\n- id: A\n  scope: {globs: [a]}\n- id: B\n  scope: {files: [b]}\n",
    "active_intents:\n- {id: A, scope: [*.py, !x/**], relatedFiles: x, createdAt: 2026}\n",
    "active_intents:\n- id: A\n  owned_scope: src\n  aliases: B\n  recent_history: 'x y'\n",
    "intents: {A: {title: x, scope: {paths: [*.py]}}, B: {reqId: 1}}\n",
    entry("status: |\n      in progress", "created_at: >-\n\n      2026/1/5\n", "name: x"),
    "active_intents:\n- id: A\n  owned_scope:\n  - |\n    /a/b\n  - >+\n    ./c\n\n  name: x\n",
    "active_intents:\n- id: A\n  owned_scope: [a]\n- id: |-\n    A\n  owned_scope: [b]\n",
]
POLICIES = [
    "sidecar:\n  enforcment: warn\n  failOpen: no\n",
    "sidecar:\n  Fail-Open: no\n  blocked-tools: [x]\n",
    "sidecar:\n  enforcement: bloc\n  agents: warning\n  hitl: allways\n",
    "sidecar:\n  generated: [*.pyc, /out/**, ' x ']\n  blocked_tools: [*]\n",
    "sidecar:\n  generated: x\n  blocked_tools: rm\n  mutating_tools: 'a'\n",
    "sidecar:\n  architectural_constraints: one\n",
    "sidecar:\n  architectural_constraints:\n    a: b\n    c:\n      - d\n",
    "sidecar:\n  deny_mutations:\n  - pathGlob: *.lock\n    reasn: no\n",
    "sidecar:\n  deny_mutations:\n  - path-glob: /a\n    Reason: no\n",
    "sidecar:\n  deny_mutations: [{path: a/**, reason: x}]\n",
    "sidecar:\n  lessons: {violation: A.md}\n  privacy: {author: none, session-ids: hashed}\n",
    "sidecar:\n  hitl_by: [editor, elicitatoin]\n",
    "sidcar:\n  enforcement: warn\n",
    "Sidecar:\n  enforcement: warn\nother: 1\n",
    "sidecar:\n  version: '7'\n  hitl_timeout_seconds: \"60\"\n",
    "sidecar:\n  deny_mutations: [a/**, {glob: b, why: x}]\n",
    "sidecar:\n  deny_mutations:\n  - 'a/**'\n  - pattern: x\n    because: y\n",
    "sidecar:\n  spec_iteration_globs: specs/**\n  hitl_by: editor\n",
    "sidecar:\n  enforcement: |\n    blok\n  agents: >\n    warning\n  version: 1\n",
]


@pytest.mark.parametrize("text", dict.fromkeys(BAD))
def test_each_fix_of_an_intents_file_leaves_fewer_findings(text: str) -> None:
    check_all(text, read_intents(text).findings, read_intents)


@pytest.mark.parametrize("text", POLICIES)
def test_each_fix_of_a_policy_leaves_fewer_findings(text: str) -> None:
    found = read_policy(text).findings
    assert any(finding.fixes for finding in found)
    check_all(text, found, read_policy)


def severities(read: IntentsFile | PolicyFile) -> list[int]:
    """Return the severities of the findings, the gravest first: a list that grows is better."""
    return [*sorted(finding.severity for finding in read.findings), 9]


def check_all(text: str, findings: Sequence[Finding], read: type | object) -> None:
    """Check that each fix leaves a text that parses and has fewer findings, the fixed one gone."""
    before = read(text)  # type: ignore[operator]
    assert isinstance(before, IntentsFile | PolicyFile)
    for finding in findings:
        for fix in finding.fixes:
            assert fix.title
            spans = [change.span for change in fix.changes]
            assert spans == sorted(spans)
            assert all(one.end <= other.start for one, other in pairwise(spans))
            after = read(apply_changes(text, fix.changes))  # type: ignore[operator]
            assert after.parsed
            if finding.code is FileCode.MISSING_ID:
                # The entry was left out; what else is wrong with it shows only now.
                assert severities(after) > severities(before), (finding, fix)
            else:
                assert len(after.findings) < len(before.findings), (finding, fix)
            kept = fix.safe and finding.code is not FileCode.UNKNOWN_KEY
            if kept and isinstance(before, IntentsFile):
                assert [it.id for it in after.intents] == [it.id for it in before.intents]


def test_a_comment_behind_the_mark_of_block_text_stays() -> None:
    text = entry("status: >- # why\n      in progress", "name: x")
    (finding,) = read_intents(text).findings
    (fix,) = finding.fixes
    after = text.replace(">- # why\n      in progress", '"IN_PROGRESS" # why')
    assert apply_changes(text, fix.changes) == after


def test_there_are_enough_of_them() -> None:
    assert len(BAD) + len(POLICIES) > 100
