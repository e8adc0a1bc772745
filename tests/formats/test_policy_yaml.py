"""The policy file: every key, every spelling, and what is wrong with it."""

import pytest

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.codes import FileCode
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from intent_lsp.core.policy import (
    AuthorNames,
    ContractRule,
    DenyRule,
    Enforcement,
    LedgerForm,
    PeopleAsked,
    SessionIds,
    TeamPolicy,
    Urls,
)
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.store.packaged_files import template

FULL = """\
sidecar:
  version: 7
  architectural_constraints: ["Hooks, not prompts."]
  blocked_tools: [execute_command, "mcp__*"]
  deny_mutations:
    - path_glob: ".orchestration/**"
      reason: "machine-managed"
    - pathGlob: vendor/**
  enforcement: block
  hitl: out_of_scope
  hitl_by: [elicitation, editor, editor]
  hitl_timeout_seconds: 5
  fail_open: false
  contract: warn
  require_checkout: no
  require_read: yes
  complete_on_attempt: off
  spec_iteration_globs: ["specs/**"]
  mutating_tools: [a]
  read_only_tools: [b]
  history_in_yaml: true
  generated: ["gen/**"]
  ledger: segments
  lessons: {violations: docs/V.md, verification: W.md}
  privacy: {authors: none, session_ids: hashed, urls: drop}
"""
POLICY = TeamPolicy(
    architectural_constraints=("Hooks, not prompts.",),
    blocked_tools=("execute_command", "mcp__*"),
    deny_mutations=(
        DenyRule(".orchestration/**", "machine-managed"),
        DenyRule("vendor/**"),
    ),
    enforcement=Enforcement.BLOCK,
    hitl=PeopleAsked.OUT_OF_SCOPE,
    hitl_by=(ApprovalChannel.ELICITATION, ApprovalChannel.EDITOR),
    hitl_timeout_seconds=5,
    fail_open=False,
    contract=ContractRule.WARN,
    require_checkout=False,
    require_read=True,
    version=7,
    complete_on_attempt=False,
    spec_iteration_globs=("specs/**",),
    mutating_tools=("a",),
    read_only_tools=("b",),
    history_in_yaml=True,
    generated=("gen/**",),
    ledger=LedgerForm.SEGMENTS,
    lessons_violations="docs/V.md",
    lessons_verification="W.md",
    authors=AuthorNames.NONE,
    session_ids=SessionIds.HASHED,
    urls=Urls.DROP,
)


def test_every_key_is_read() -> None:
    read = read_policy(FULL)
    assert (read.policy, read.parsed) == (POLICY, True)
    assert [found.code for found in read.findings] == [FileCode.OTHER_FORM]


def test_camel_case_and_a_missing_root_are_read_too() -> None:
    humps = FULL.replace("path_glob", "pathGlob").replace(
        "spec_iteration_globs", "specIterationGlobs"
    )
    humps = humps.replace("fail_open", "failOpen").replace("session_ids", "sessionIds")
    bare = "".join(line[2:] + "\n" for line in humps.splitlines()[1:])
    assert read_policy(humps).policy == POLICY
    assert read_policy(bare).policy == POLICY


@pytest.mark.parametrize("text", ["", "# c\n", "sidecar:\n", "sidecar: {}\n", "{}", "hitl:\n"])
def test_what_says_nothing_is_the_defaults(text: str) -> None:
    read = read_policy(text)
    assert (read.policy, read.findings, read.parsed) == (TeamPolicy(), (), True)


FLAWS = [
    ("enforcment: block", FileCode.UNKNOWN_KEY, "enforcment"),
    ("whatever: 1", FileCode.UNKNOWN_KEY, "whatever"),
    ("enforcement: blok", FileCode.BAD_VALUE, "blok"),
    ("hitl: [x]", FileCode.WRONG_TYPE, "[x]"),
    ("hitl: 'zzz'", FileCode.BAD_VALUE, "'zzz'"),
    ("hitl_by: editor", FileCode.WRONG_TYPE, "editor"),
    ("hitl_by: [editor, hook]", FileCode.BAD_VALUE, "hook"),
    ("hitl_by: [elicitation]", FileCode.BAD_VALUE, "[elicitation]"),
    ("hitl_by: []", FileCode.BAD_VALUE, "[]"),
    ("hitl_by: [editor, [x]]", FileCode.WRONG_TYPE, "[x]"),
    ("hitl_by: [editor, ~]", FileCode.WRONG_TYPE, "~"),
    ("version: -1", FileCode.BAD_VALUE, "-1"),
    ("version: x", FileCode.WRONG_TYPE, "x"),
    ("hitl_timeout_seconds: 0", FileCode.BAD_VALUE, "0"),
    ("hitl_timeout_seconds: -5", FileCode.BAD_VALUE, "-5"),
    ("hitl_timeout_seconds: " + "9" * 5000, FileCode.BAD_VALUE, "9" * 5000),
    ("hitl_timeout_seconds: '5'", FileCode.WRONG_TYPE, "'5'"),
    ("fail_open: maybe", FileCode.WRONG_TYPE, "maybe"),
    ("fail_open: [true]", FileCode.WRONG_TYPE, "[true]"),
    ("blocked_tools: x", FileCode.WRONG_TYPE, "x"),
    ("blocked_tools: [*]", FileCode.YAML_UNQUOTED_GLOB, "*"),
    ("mutating_tools: [*_write]", FileCode.YAML_UNQUOTED_GLOB, "*_write"),
    ("mutatingTools:\n  - *_write", FileCode.YAML_UNQUOTED_GLOB, "*_write"),
    ("read_only_tools: [*]", FileCode.YAML_UNQUOTED_GLOB, "*"),
    ("readOnlyTools:\n  - *_read", FileCode.YAML_UNQUOTED_GLOB, "*_read"),
    ("spec_iteration_globs: x", FileCode.WRONG_TYPE, "x"),
    ("spec_iteration_globs: ['../x']", FileCode.DEAD_GLOB, "'../x'"),
    ("generated: x", FileCode.WRONG_TYPE, "x"),
    ("generated: [*.gen]", FileCode.YAML_UNQUOTED_GLOB, "*.gen"),
    ("generated: ['../x']", FileCode.DEAD_GLOB, "'../x'"),
    ("deny_mutations: x", FileCode.WRONG_TYPE, "x"),
    ("deny_mutations: [x]", FileCode.WRONG_TYPE, "x"),
    ("deny_mutations: [{reason: x}]", FileCode.BAD_VALUE, "{reason: x}"),
    ("deny_mutations: [{path_glob: , reason: x}]", FileCode.BAD_VALUE, "{path_glob: , reason: x}"),
    ("deny_mutations: [{path_glob: [a]}]", FileCode.WRONG_TYPE, "[a]"),
    ("lessons: x", FileCode.WRONG_TYPE, "x"),
    ("lessons: {violations: ../x}", FileCode.BAD_VALUE, "../x"),
    ("lessons: {violations: [a]}", FileCode.WRONG_TYPE, "[a]"),
    ("privacy: x", FileCode.WRONG_TYPE, "x"),
    ("privacy: {authors: hash}", FileCode.BAD_VALUE, "hash"),
    ("hitl: never\n  hitl: always", FileCode.YAML_DUPLICATE_KEY, "hitl"),
]


@pytest.mark.parametrize(("line", "code", "place"), FLAWS)
def test_a_flaw_stands_at_its_place_and_the_rest_still_applies(
    line: str, code: FileCode, place: str
) -> None:
    text = f"sidecar:\n  {line}\n  contract: ignore\n"
    read = read_policy(text)
    assert (read.parsed, read.policy.contract) == (True, ContractRule.IGNORE)
    (found,) = (it for it in read.findings if it.code is code)
    places = TextPositions(text)
    assert text[places.offset(found.span.start) : places.offset(found.span.end)] == place


def test_an_unquoted_path_glob_is_read() -> None:
    read = read_policy(
        "deny_mutations:\n  - path_glob: **/*.lock\n  - reason: x\n    path_glob: *.x\n"
    )
    assert [rule.path_glob for rule in read.policy.deny_mutations] == ["**/*.lock", "*.x"]
    assert {found.code for found in read.findings} == {FileCode.YAML_UNQUOTED_GLOB}


@pytest.mark.parametrize("text", ["a: [", "x: \x00", "text", "[a]", "sidecar: text"])
def test_what_is_no_policy_has_an_error_and_the_defaults(text: str) -> None:
    read = read_policy(text)
    assert (read.policy, len(read.findings)) == (TeamPolicy(), 1)


def test_keys_beside_the_root_are_unknown() -> None:
    read = read_policy("sidecar: {hitl: always}\nhitl: never\n")
    assert read.policy.hitl is PeopleAsked.ALWAYS
    assert [found.code for found in read.findings] == [FileCode.UNKNOWN_KEY]


def test_the_templates_read_without_a_finding() -> None:
    intents, policy = read_intents(template(INTENTS_FILE)), read_policy(template(POLICY_FILE))
    assert (intents.parsed, len(intents.intents), intents.findings) == (True, 0, ())
    assert (policy.parsed, policy.findings) == (True, ())


def test_the_commented_examples_read_without_a_finding_too() -> None:
    examples = (
        template(INTENTS_FILE).partition("#\n# active")[2].rpartition("active_intents: []")[0]
    )
    read = read_intents(("# active" + examples).replace("\n# ", "\n").removeprefix("# "))
    assert ([intent.id for intent in read.intents], read.findings) == (["INT-001"], ())
    whole = template(POLICY_FILE).replace("\n  # ", "\n  ")
    lines = [line for line in whole.splitlines() if not line.endswith((".", "characters."))]
    policy = read_policy("\n".join(lines))
    assert policy.findings == ()
    defaults = TeamPolicy(deny_mutations=policy.policy.deny_mutations)
    assert policy.policy == defaults
