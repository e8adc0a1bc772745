"""A tool reads, edits or runs commands: by the team's lists, then ours, then its own word."""

import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.agents.tools import (
    ToolCall,
    ToolKind,
    bare_name,
    blocked,
    same_name,
    tool_kind,
)
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.store.packaged_files import command_lists

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
PLAIN = TeamPolicy()
LISTS = command_lists()
READ, EDIT, COMMAND = ToolKind.READ_ONLY, ToolKind.EDIT, ToolKind.COMMAND

# As the specification lists them.
EDITING = """
write_to_file write_file create_file apply_diff apply_patch edit edit_file multi_edit
replace_in_file replace_string_in_file multi_replace_string_in_file insert_edit_into_file
str_replace search_replace search_and_replace insert_content insert_code_block delete_file
rename_file move_file generate_image Write Edit MultiEdit NotebookEdit
"""
COMMANDING = "execute_command Bash shell run_in_terminal run_shell_command PowerShell"
READING = """
read view list get find search_files search_codebase grep glob cat show fetch NotebookRead TodoWrite
Task WebFetch WebSearch LS browser_action select_active_intent ask_followup_question
attempt_completion list_code_definition_names
read_file Read readMany view_image list_dir LIST_FILES getErrors get_diagnostics find_references
grep_search Glob showDiff fetch_url Fetch
"""
KINDS = [
    *((name, EDIT) for name in EDITING.split()),
    *((name, COMMAND) for name in COMMANDING.split()),
    *((name, READ) for name in READING.split()),
]
SPELLINGS = ["{}", "functions.{}", "mcp__server__{}", "functions.mcp__my-server__{}", "MCP__S__{}"]


def kind_of(name: str, policy: TeamPolicy = PLAIN, **named: Any) -> ToolKind:
    return tool_kind(ToolCall(tool_name=name, **named), policy, LISTS)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_known_name_has_its_kind_whatever_its_case_and_prefix(name: str, kind: ToolKind) -> None:
    for spelled in (name, name.lower(), name.upper(), name.swapcase()):
        for prefixed in SPELLINGS:
            assert kind_of(prefixed.format(spelled), paths=("a",), command="rm a") is kind
            assert kind_of(prefixed.format(spelled)) is kind


def test_the_lists_are_the_documented_ones_to_the_name() -> None:
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    told = {
        text.partition("\n")[0]: sorted(re.findall(r"`([^`]+)`", text.partition("\n")[2]))
        for text in sections[1:4]
    }
    assert told == {
        "Tools that edit": sorted(LISTS.edit_tools),
        "Tools that run commands": sorted(LISTS.command_tools),
        "Tools that only read": sorted(LISTS.read_only_tools),
    }


def test_no_name_stands_in_two_lists() -> None:
    kinds = {EDIT: LISTS.edit_tools, COMMAND: LISTS.command_tools, READ: LISTS.read_only_tools}
    for (_, names), (_, others) in permutations(kinds.items(), 2):
        assert [name for name in names for other in others if same_name(other, name)] == []


@pytest.mark.parametrize("name", ["search", "cats", "replacer", "tasks", "my_read", "ls2", ""])
def test_a_name_that_is_nearly_known_is_not(name: str) -> None:
    assert kind_of(name, paths=("a",)) is EDIT
    assert kind_of(name) is READ


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ({}, READ),
        ({"new_text": "x"}, READ),
        ({"intent_id": "INT-001", "tool_use_id": "1"}, READ),
        ({"paths": ("a",)}, EDIT),
        ({"patch": ""}, EDIT),
        ({"command": "ls"}, COMMAND),
        ({"command": ""}, COMMAND),
        ({"command": "ls", "paths": ("a",)}, EDIT),
        ({"command": "ls", "patch": "x"}, EDIT),
    ],
)
def test_an_unknown_tool_is_what_it_names_unless_it_says_that_it_reads(
    named: dict[str, Any], kind: ToolKind
) -> None:
    assert kind_of("mcp__server__frobnicate", **named) is kind
    assert kind_of("frobnicate", read_only_hint=False, **named) is kind
    assert kind_of("frobnicate", read_only_hint=True, **named) is READ


@pytest.mark.parametrize(("name", "kind"), [("Write", EDIT), ("Bash", COMMAND), ("Read", READ)])
def test_a_known_tool_is_not_asked_what_it_says_of_itself(name: str, kind: ToolKind) -> None:
    for hint in (True, False):
        assert kind_of(name, paths=("a",), read_only_hint=hint) is kind


@pytest.mark.parametrize("name", ["Write", "Bash", "Read", "frobnicate"])
@pytest.mark.parametrize("hint", [True, False, None])
def test_the_teams_mutating_tools_win_over_its_read_only_ones_over_all_else(
    name: str, *, hint: bool | None
) -> None:
    for spelled in (name, name.upper(), f"functions.{name}", f"mcp__x__{name}", f"{name[:3]}*"):
        mutating = TeamPolicy(mutating_tools=("no", spelled))
        both = TeamPolicy(mutating_tools=(spelled,), read_only_tools=(name, "*"))
        reading = TeamPolicy(read_only_tools=("no", spelled))
        for policy, kind in ((mutating, EDIT), (both, EDIT), (reading, READ)):
            assert kind_of(name, policy, read_only_hint=hint) is kind
            assert kind_of(name, policy, command="ls", paths=("a",), read_only_hint=hint) is kind


def test_a_tool_is_blocked_by_name_or_pattern_and_no_other_is() -> None:
    policy = TeamPolicy(blocked_tools=("Bash", "web*", "mcp__github__*"))
    for name in ("bash", "functions.Bash", "mcp__any__bash", "WebFetch", "mcp__GitHub__read"):
        assert blocked(name, policy)
    for name in ("bash2", "fetchWeb", "github", "read", "mcp__gitlab__read"):
        assert not blocked(name, policy)
    assert not blocked("Bash", PLAIN)


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("Write", "Write"),
        ("functions.apply_patch", "apply_patch"),
        ("mcp__server__Write", "Write"),
        ("functions.mcp__server__Write", "Write"),
        ("mcp__a__b__read", "b__read"),
        ("mcp__server__", "mcp__server__"),
        ("mcp__server", "mcp__server"),
        ("functions.", "functions."),
        ("functions", "functions"),
        ("my.functions.x", "my.functions.x"),
        ("", ""),
    ],
)
def test_a_prefix_is_taken_off_where_a_name_is_left(name: str, bare: str) -> None:
    assert bare_name(name) == bare


@pytest.mark.parametrize(
    ("pattern", "name", "same"),
    [
        ("*", "anything", True),
        ("*", "", True),
        ("a*", "a", True),
        ("*a", "a", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("a*bc*c", "abc", False),
        ("a*b", "a[b", True),
        ("a?b", "a-b", False),
        ("a.b*", "a-b", False),
        ("", "", True),
        ("", "a", False),
        ("mcp__*", "mcp__server__x", True),
        ("mcp__*", "x", False),
        ("mcp__*__x", "mcp__server__x", True),
        ("functions.mcp__one__*", "mcp__one__x", True),
        ("functions.mcp__one__*", "x", False),
        ("functions.x*", "xy", True),
        ("STRASSE", "straße", True),
    ],
)
def test_a_star_stands_for_any_run_and_nothing_else_does(
    pattern: str, name: str, *, same: bool
) -> None:
    assert same_name(pattern, name) is same


@given(st.text("ab*", max_size=6), st.text("ab", max_size=8))
def test_a_pattern_stands_for_what_the_same_expression_does(pattern: str, name: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert same_name(pattern, name) is (re.fullmatch(expression, name) is not None)


@given(st.text(), st.text())
def test_any_name_is_asked_for_by_any_pattern(pattern: str, name: str) -> None:
    assert same_name(name, name) or "*" in name
    assert same_name("*" + pattern + "*", pattern + name) or bare_name(pattern) != pattern
    assert name.endswith(bare_name(name))
