"""Laws of registrations: what is installed can be taken out again, byte for byte."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.formats.registrations.json_edit import with_value, without
from intent_lsp.formats.registrations.json_registration import JsonRegistration
from intent_lsp.formats.registrations.jsonc import JsonNode, parse_jsonc
from intent_lsp.formats.registrations.registration import State
from intent_lsp.formats.registrations.toml_registration import TomlRegistration

FOUND = [each.content for host in HOSTS for each in registrations_of(host, RegistrationOptions())]
IN_JSON = [each for each in FOUND if isinstance(each, JsonRegistration)]
SHAPES = [
    each
    for each in IN_JSON
    if f"{each.host}-{each.container[0]}"
    in {
        "claude-hooks",
        "claude-mcpServers",
        "antigravity-intent-lsp",
        "windsurf-hooks",
        "opencode-mcp",
    }
]
IN_TOML = [each for each in FOUND if isinstance(each, TomlRegistration)]

SPACES = st.sampled_from(["", "", " ", "\n", "\n  ", "\n\t", " // a, ]\n", "/* { \n */", "\n\n  "])
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '""', '"a // b"', '"\\u00e9 }"', '"x"'])
COMMANDS = st.sampled_from(["./check.sh", "intent-lsp-like hook claude", "hook claude"])
EVENTS = ["PreToolUse", "Stop", "BeforeTool", "preToolUse", "Other", "pre_write_code"]
NAMES = st.sampled_from(["a", "b c", "hooks", "mcpServers", "servers", "mcp", "intent", '\\"'])


def pieces(opening: str, parts: list[str], closing: str) -> st.SearchStrategy[str]:
    """Join parts to an object or array, with white space and comments between them."""
    size = 3 * len(parts) + 2
    gaps = st.lists(SPACES, min_size=size, max_size=size)
    return st.builds(
        lambda spaces, last: (
            opening
            + spaces[0]
            + "".join(
                spaces[3 * at + 1]
                + part
                + spaces[3 * at + 2]
                + ("," if at + 1 < len(parts) or last else "")
                + spaces[3 * at + 3]
                for at, part in enumerate(parts)
            )
            + closing
        ),
        gaps,
        st.booleans() if parts else st.just(value=False),
    )


def objects(values: st.SearchStrategy[str], names: st.SearchStrategy[str]) -> Any:
    members = st.dictionaries(names, st.tuples(SPACES, values), max_size=4)
    return members.flatmap(
        lambda found: pieces("{", [f'"{k}":{gap}{each}' for k, (gap, each) in found.items()], "}")
    )


def arrays(values: st.SearchStrategy[str]) -> Any:
    return st.lists(values, max_size=3).flatmap(lambda found: pieces("[", found, "]"))


VALUES: Any = st.recursive(SCALARS, lambda inner: arrays(inner) | objects(inner, NAMES))
GROUPS = st.builds(
    lambda command, extra: f'{{"hooks": [{{"command": "{command}"}}], "x": {extra}}}',
    COMMANDS,
    SCALARS,
)
HOOKS = objects(arrays(GROUPS | VALUES), st.sampled_from(EVENTS))
SETTINGS = st.tuples(VALUES, HOOKS, SPACES, SPACES, st.booleans()).flatmap(
    lambda each: pieces(
        "{", [f'"model": {each[0]}', f'"hooks": {each[1]}'] if each[4] else [f'"m": {each[0]}'], "}"
    ).map(lambda text: each[2] + text + each[3])
)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])


def values(text: str) -> Any:
    tree = parse_jsonc(text)
    assert isinstance(tree, JsonNode), (text, tree)
    return tree.value


@given(VALUES)
def test_a_generated_text_is_parsed_as_others_parse_it(text: str) -> None:
    tree = parse_jsonc(text)
    assert isinstance(tree, JsonNode), tree
    assert parse_jsonc(json.dumps(tree.value)) == parse_jsonc(json.dumps(tree.value))
    assert values(json.dumps(tree.value)) == tree.value


@pytest.mark.parametrize("content", SHAPES, ids=lambda each: f"{each.host}-{each.container[0]}")
@given(text=SETTINGS, ends=LINE_ENDS)
def test_what_is_installed_comes_out_again(content: JsonRegistration, text: str, ends: str) -> None:
    text = text.replace("\n", ends)
    assume(content.state(text) is State.MISSING)
    made = content.installed(text)
    if not isinstance(made, str):
        # The place of the entries holds something of another kind.
        return
    assert content.state(made) is State.REGISTERED
    assert content.installed(made) == made
    assert "\r" not in text or "\n" not in made.replace("\r\n", "")
    assert content.uninstalled(made) == text


@settings(max_examples=15)
@given(text=SETTINGS, ends=LINE_ENDS)
def test_what_a_file_with_a_version_held_comes_out_again(text: str, ends: str) -> None:
    for content in IN_JSON:
        for key, value in content.top:
            held = with_value(text.replace("\n", ends), (key,), value)
            if not isinstance(held, str) or content.state(held) is not State.MISSING:
                continue
            made = content.installed(held)
            if isinstance(made, str):
                assert content.uninstalled(made) in (held, None)


@given(text=SETTINGS)
def test_others_keep_their_values_and_their_order(text: str) -> None:
    content = IN_JSON[0]
    before = values(text)
    made = content.installed(text)
    assume(isinstance(made, str))
    after = values(str(made))
    hooks, ours = before.get("hooks", {}), after.pop("hooks")
    assert {key: each for key, each in before.items() if key != "hooks"} == after
    assert all(ours[event][: len(groups)] == groups for event, groups in hooks.items())


@given(text=SETTINGS, data=st.data())
def test_any_part_can_be_removed_or_is_left_with_a_reason(text: str, data: st.DataObject) -> None:
    tree = parse_jsonc(text)
    assert isinstance(tree, JsonNode)
    node, path = tree, ()  # type: tuple[JsonNode, tuple[Any, ...]]
    while node.parts and (not path or data.draw(st.booleans())):
        at = data.draw(st.integers(0, len(node.parts) - 1))
        step = node.parts[at].key if isinstance(node.value, dict) else at
        path, node = (*path, step), node.parts[at].node
    made = without(text, path) if path else text
    if isinstance(made, str):
        assert isinstance(parse_jsonc(made), JsonNode)


TABLES = st.sampled_from(
    [
        "a = 1",
        "# [mcp_servers.intent-lsp]",
        "",
        "b = '''\n[mcp_servers.intent-lsp]\n'''",
        '[[hooks]]\nevent = "Stop"\ncommand = "./mine" # theirs',
        '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "intent-lsp",\n]',
        "[z]  # the end",
        "  [y.x]\nc = { d = 1 }",
        "[mcp_servers]",
    ]
)


@pytest.mark.parametrize("content", IN_TOML, ids=lambda each: each.host)
@given(lines=st.lists(TABLES, unique=True), ends=LINE_ENDS, last=st.booleans())
def test_toml_comes_out_again(
    content: TomlRegistration, lines: list[str], ends: str, *, last: bool
) -> None:
    text = ends.join(line.replace("\n", ends) for line in lines) + (ends if last else "")
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)  # noqa: FBT003 - its signature
    made = content.installed(text)
    assert isinstance(made, str)
    assert content.state(made) is State.REGISTERED
    assert content.installed(made) == made
    after = tomllib.loads(made)
    assert {key: each for key, each in after.items() if key not in ("hooks", "mcp_servers")} == {
        key: each for key, each in before.items() if key not in ("hooks", "mcp_servers")
    }
    assert content.uninstalled(made) == text
