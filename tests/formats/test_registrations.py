"""Registrations of agent hosts in their settings files: text cases and places of problems."""

import json
import re
import tomllib

import pytest

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.hosts.table import HOSTS as HOOK_HOSTS
from intent_lsp.formats.registrations.agent_host import AgentHost, HookShape
from intent_lsp.formats.registrations.agent_hosts import HOST_NAMES, HOSTS
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.formats.registrations.json_edit import without
from intent_lsp.formats.registrations.jsonc import JsonNode, UnreadableText, parse_jsonc
from intent_lsp.formats.registrations.registration import (
    Place,
    Purpose,
    Registration,
    RegistrationText,
    State,
)

BY_NAME = {host.name: host for host in HOSTS}
EVERY = [
    pytest.param(each, id=f"{host.name}-{each.purpose.value}-{each.paths[0]}")
    for host in HOSTS
    for each in registrations_of(host, RegistrationOptions())
]


def hooks_of(name: str, wish: RegistrationOptions | None = None) -> RegistrationText:
    found = registrations_of(BY_NAME[name], wish or RegistrationOptions())
    return next(each.content for each in found if each.purpose is Purpose.HOOKS)


def mcp_of(name: str) -> RegistrationText:
    found = registrations_of(BY_NAME[name], RegistrationOptions())
    return next(each.content for each in found if each.purpose is Purpose.MCP)


def installed(content: RegistrationText, text: str | None) -> str:
    made = content.installed(text)
    assert isinstance(made, str), made
    assert content.state(made) is State.REGISTERED
    assert content.installed(made) == made
    return made


def test_every_host_of_the_hook_command_is_known() -> None:
    assert " ".join(HOST_NAMES) == (
        "claude codex copilot vscode gemini antigravity qwen kimi cline cursor windsurf kiro"
        " grok opencode"
    )


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_every_registered_event_is_one_that_the_hook_command_knows(host: AgentHost) -> None:
    # Cline's program SessionShutdown is sent the name `session_shutdown`.
    known = {"SessionShutdown": HookKind.SESSION_END, **HOOK_HOSTS[host.hook].events}
    if host.hooks.shape is HookShape.PLUGIN:
        text = installed(hooks_of(host.name), None)
        events = [name for name in re.findall(r'"([a-z]+\.[a-z.]+)"', text) if name in known]
        assert sorted({*events, "SessionShutdown"}) == sorted(known)
        return
    assert known[host.hooks.gate] is HookKind.BEFORE_TOOL
    events = [host.hooks.gate, *host.hooks.tools, *host.hooks.events]
    assert [name for name in events if name not in known] == []
    tools = {HookKind.BEFORE_TOOL, HookKind.AFTER_TOOL, HookKind.FAILED_TOOL}
    assert {known[name] for name in host.hooks.tools} <= tools
    assert not tools & {known[name] for name in host.hooks.events}


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_host_waits_as_long_as_the_hook_command_thinks(host: AgentHost) -> None:
    limit = host.hooks.limit
    seconds = HOOK_HOSTS[host.hook].limit_seconds
    assert limit is None or limit[1] in (seconds, seconds * 1000)


@pytest.mark.parametrize("registration", EVERY)
def test_what_is_written_into_the_repository_is_control_plane(registration: Registration) -> None:
    if registration.place is not Place.HOME:
        assert all(control_plane(WorkspacePath(path)) for path in registration.paths)


def test_a_local_file_is_control_plane_and_calls_an_absolute_path() -> None:
    (found,) = registrations_of(
        BY_NAME["claude"], RegistrationOptions(program="/opt/x/intent-lsp", local=True)
    )
    assert (found.place, found.paths) == (Place.LOCAL, (".claude/settings.local.json",))
    assert control_plane(WorkspacePath(found.paths[0]))
    text = found.content.installed(None)
    assert isinstance(text, str)
    assert '"command": "/opt/x/intent-lsp hook claude"' in text
    assert registrations_of(BY_NAME["codex"], RegistrationOptions(local=True)) == ()


@pytest.mark.parametrize("registration", EVERY)
def test_a_new_file_comes_and_goes(registration: Registration) -> None:
    content = registration.content
    assert content.state(None) is State.MISSING
    assert content.uninstalled(None) is None
    text = installed(content, None)
    assert "intent-lsp" in text
    assert "/" not in [word for word in text.split('"') if "intent-lsp hook" in word]
    assert content.uninstalled(text) is None


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_no_host_gets_a_hook_for_a_new_work_tree_nor_a_grant(host: AgentHost) -> None:
    assert "WorktreeCreate" not in (host.hooks.gate, *host.hooks.tools, *host.hooks.events)
    for each in registrations_of(host, RegistrationOptions()):
        assert "trust" not in str(each.content.installed(None)).lower()


def test_claude_gets_groups_and_a_server() -> None:
    settings = json.loads(installed(hooks_of("claude"), None))
    handler = {"type": "command", "command": "intent-lsp hook claude", "timeout": 30}
    assert settings["hooks"]["PreToolUse"] == [{"matcher": "*", "hooks": [handler]}]
    assert settings["hooks"]["UserPromptSubmit"] == [{"hooks": [handler]}]
    servers = json.loads(installed(mcp_of("claude"), None))
    entry = {"command": "intent-lsp", "args": ["mcp"]}
    assert servers == {"mcpServers": {"intent-lsp": entry}}


def test_only_the_event_before_a_call_fails_closed() -> None:
    closed = RegistrationOptions(fail_closed=True)
    claude = json.loads(installed(hooks_of("claude", closed), None))["hooks"]
    switched = [name for name, groups in claude.items() if "onFailure" in groups[0]["hooks"][0]]
    assert switched == ["PreToolUse"]
    assert claude["PreToolUse"][0]["hooks"][0]["onFailure"] == "block"
    cursor = json.loads(installed(hooks_of("cursor", closed), None))["hooks"]
    assert [name for name, entries in cursor.items() if "failClosed" in entries[0]] == [
        "preToolUse"
    ]
    assert "onFailure" not in installed(hooks_of("claude"), None)


def test_gemini_waits_in_milliseconds_and_has_its_own_events() -> None:
    hooks = json.loads(installed(hooks_of("gemini"), None))["hooks"]
    assert hooks["BeforeTool"][0]["hooks"][0]["timeout"] == 30000
    assert set(hooks) == {
        "BeforeTool",
        "AfterTool",
        "BeforeAgent",
        "AfterAgent",
        "SessionStart",
        "SessionEnd",
    }


def test_hosts_that_send_no_name_of_the_event_say_it() -> None:
    antigravity = json.loads(installed(hooks_of("antigravity"), None))
    command = antigravity["intent-lsp"]["PreToolUse"][0]["hooks"][0]["command"]
    assert command == "intent-lsp hook antigravity --event PreToolUse"


def test_codex_has_no_root_member_but_hooks_and_its_server_in_toml() -> None:
    assert set(json.loads(installed(hooks_of("codex"), None))) == {"hooks"}
    servers = tomllib.loads(installed(mcp_of("codex"), 'model = "m"\n'))
    assert servers["mcp_servers"]["intent-lsp"] == {"command": "intent-lsp", "args": ["mcp"]}


def test_kimi_gets_tables_with_known_keys_alone() -> None:
    tables = tomllib.loads(installed(hooks_of("kimi"), None))["hooks"]
    assert tables[0] == {"event": "PreToolUse", "command": "intent-lsp hook kimi", "timeout": 30}
    assert all(set(table) == {"event", "command", "timeout"} for table in tables)


def test_cline_gets_programs_named_after_events() -> None:
    found = [
        each
        for each in registrations_of(BY_NAME["cline"], RegistrationOptions())
        if each.executable
    ]
    assert ".clinerules/hooks/PreToolUse" in [each.paths[0] for each in found]
    for each in found:
        text = each.content.installed(None)
        assert isinstance(text, str)
        assert text.startswith("#!/bin/sh\n")
        assert text.endswith("\nexec intent-lsp hook cline\n")


def test_kiro_gets_one_array() -> None:
    settings = json.loads(installed(hooks_of("kiro"), None))
    assert settings["version"] == "v1"
    assert settings["hooks"][0]["action"]["command"] == "intent-lsp hook kiro"


def test_opencode_gets_a_plug_in_and_its_own_shape_of_a_server() -> None:
    assert BY_NAME["opencode"].hooks.shape is HookShape.PLUGIN
    assert "tool.execute.before" in installed(hooks_of("opencode"), None)
    servers = json.loads(installed(mcp_of("opencode"), None))["mcp"]["intent-lsp"]
    assert servers == {"type": "local", "enabled": True, "command": ["intent-lsp", "mcp"]}


def test_a_plug_in_of_somebody_else_may_call_our_hook() -> None:
    content = hooks_of("opencode")
    for calling in ('execSync("intent-lsp hook opencode")\n', 'run(x, ["hook", "opencode"])\n'):
        assert content.state(calling) is State.REGISTERED
        assert content.installed(calling) == calling
        assert content.uninstalled(calling) == calling
    assert isinstance(content.state('execSync("intent-lsp hook kiro")\n'), UnreadableText)


OTHERS = """\
{
  // The team's own.
  "model": "large", // chosen by Ada
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "./check.sh" }] // ours first
      }
      // no comma here
    ],
    "Notification": []
  },
}
"""


def test_other_entries_and_comments_stay_and_ours_comes_last() -> None:
    content = hooks_of("claude")
    text = installed(content, OTHERS)
    tree = parse_jsonc(text)
    assert isinstance(tree, JsonNode)
    assert isinstance(tree.value, dict)
    groups = tree.value["hooks"]["PreToolUse"]
    assert [group["hooks"][0]["command"] for group in groups] == [
        "./check.sh",
        "intent-lsp hook claude",
    ]
    assert text.startswith(OTHERS[: OTHERS.index("      }\n")])
    assert '      },\n      {\n        "matcher": "*",' in text
    assert content.uninstalled(text) == OTHERS


def test_a_right_entry_is_not_moved_and_its_own_additions_stay() -> None:
    content = hooks_of("cursor")
    text = installed(content, None)
    mine = text.replace('"timeout": 30', '"timeout": 60, "loop_limit": 3', 1)
    mine = mine.replace(
        '"preToolUse": [', '"preToolUse": [\n      // ours\n      {"command": "a"},', 1
    )
    assert content.state(mine) is State.REGISTERED
    assert content.installed(mine) == mine


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ('"timeout": 30', '"timeout": 3'),
        ("intent-lsp hook claude", "/old/place/intent-lsp hook claude"),
        ('"matcher": "*"', '"matcher": "Edit"'),
        ('"type": "command",\n', '"type": "http",\n'),
    ],
)
def test_an_entry_that_differs_is_corrected_in_its_place(change: str, to: str) -> None:
    content = hooks_of("claude")
    text = installed(content, OTHERS)
    other = text.replace(change, to, 1)
    assert content.state(other) is State.DIFFERS
    assert installed(content, other) == text


def test_a_handler_of_ours_in_a_shared_group_is_taken_out_alone() -> None:
    content = hooks_of("claude")
    shared = """\
{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [
  {"type": "command", "command": "a"},
  {"type": "command", "command": "intent-lsp hook claude", "timeout": 30},
  {"type": "command", "command": "b"}
]}]}}
"""
    assert content.state(shared) is State.DIFFERS
    gone = content.uninstalled(shared)
    assert gone == shared.replace(
        '  {"type": "command", "command": "intent-lsp hook claude", "timeout": 30},\n', ""
    )
    text = installed(content, shared)
    groups = json.loads(text)["hooks"]["PreToolUse"]
    assert [len(group["hooks"]) for group in groups] == [2, 1]
    assert content.uninstalled(text) == gone


def test_entries_for_events_that_are_no_longer_registered_are_removed() -> None:
    entry = '{"hooks": [{"command": "intent-lsp hook claude"}]}'
    text = f'{{"hooks": {{"Old": [\n{entry}\n], "New": [1]}}}}'
    assert hooks_of("claude").uninstalled(text) == '{"hooks": {"New": [1]}}'


def test_a_file_of_somebody_else_is_left_alone() -> None:
    content = hooks_of("cline")
    theirs = "#!/bin/sh\nexit 0\n"
    state = content.state(theirs)
    assert isinstance(state, UnreadableText)
    assert "call `intent-lsp hook cline` from it" in state.problem
    assert content.installed(theirs) == state
    assert content.uninstalled(theirs) == theirs
    calling = "#!/bin/sh\n./mine 'x\nintent-lsp hook cline # ours\n"
    assert content.state(calling) is State.REGISTERED
    assert content.installed(calling) == content.uninstalled(calling) == calling
    older = installed(content, None) + "# more\n"
    assert content.state(older) is State.DIFFERS


@pytest.mark.parametrize(
    ("name", "text", "place", "problem"),
    [
        ("claude", '{\n  "hooks": {,}\n}', ":2:13", "a text in double quotes is expected here"),
        ("claude", '{"a": 1} x', ":1:10", "nothing more is expected here"),
        ("claude", '{"a" 1}', ":1:6", "a colon is expected here"),
        ("claude", '{"a": [1 2]}', ":1:10", "a comma or `]` is expected here"),
        ("claude", '{"a": nope}', ":1:7", "a value is expected here"),
        ("claude", '{"a": 01}', ":1:7", "a value is expected here"),
        ("claude", '{"a": "\\x"}', ":1:7", "this text has an escape that JSON does not know"),
        ("claude", '{"a": 1 /* open', ":1:9", "this comment has no end"),
        ("claude", "[" * 200, ":1:102", "more than 100 levels are nested here"),
        ("claude", f'{{"a": {"9" * 5000}}}', ":1:7", "this number has too many digits"),
        ("claude", "[]", ":1:1", "an object is expected here"),
        ("claude", '{"hooks": []}', ":1:11", "an object is expected here"),
        ("claude", '{"hooks": {"Stop": {}}}', ":1:20", "an array is expected here"),
        ("kimi", "a = \n", ":1:5", "Invalid value"),
        ("kimi", "a = 1\n\na = 2\n", ":3:6", "Cannot overwrite a value"),
        ("kimi", "a = 'x", "", "Expected"),
        ("kimi", "hooks = []\n", "", "`hooks` has a form in which an entry cannot be edited"),
    ],
)
def test_a_text_that_cannot_be_edited_is_named_with_its_place(
    name: str, text: str, place: str, problem: str
) -> None:
    made = hooks_of(name).installed(text)
    assert isinstance(made, UnreadableText)
    assert problem in made.problem
    assert made.place == place or not place


def test_toml_that_is_spelled_otherwise_is_known_and_corrected() -> None:
    content = mcp_of("codex")
    server = '"intent-lsp" = { command = "intent-lsp", args = ["mcp"] } # x'
    inline = f"[mcp_servers]\n{server}\nb = {{}}\n"
    assert content.state(inline) is State.REGISTERED
    assert content.installed(inline) == inline
    assert content.uninstalled(inline) == "[mcp_servers]\nb = {}\n"
    older = (
        '# mine\n[mcp_servers.intent-lsp]\ncommand = "/old/intent-lsp"\nargs = [\n  "mcp",\n]\n'
        '[mcp_servers.intent-lsp.env]\nA = "b"\n\n# theirs\n[mcp_servers.other]\n'
    )
    assert content.state(older) is State.DIFFERS
    text = installed(content, older)
    assert text.startswith("# mine\n[mcp_servers.intent-lsp]\n")
    assert text.endswith("\n\n# theirs\n[mcp_servers.other]\n")
    assert content.uninstalled(older) == "# mine\n\n# theirs\n[mcp_servers.other]\n"


def test_toml_in_pieces_that_lie_apart_is_refused() -> None:
    apart = '[mcp_servers.intent-lsp]\ncommand = "x"\n[z]\n[mcp_servers.intent-lsp.env]\nA = "b"\n'
    for made in (mcp_of("codex").installed(apart), mcp_of("codex").uninstalled(apart)):
        assert isinstance(made, UnreadableText)
        assert "`mcp_servers.intent-lsp` has a form" in made.problem


def test_an_edit_that_would_reach_into_other_text_is_refused() -> None:
    twice = '{"hooks": {"A": [1]}, "hooks": {"B": [2]}}'
    assert isinstance(without(twice, ("hooks", "B", 0)), str | UnreadableText)
    assert isinstance(without("{}", ("a",)), UnreadableText)


@pytest.mark.parametrize("name", ["claude", "cursor", "kimi"])
def test_a_command_in_a_comment_is_not_our_hook(name: str) -> None:
    text = installed(hooks_of(name), None).replace('"intent-lsp hook', '"true # intent-lsp hook')
    assert hooks_of(name).state(text) is State.MISSING
    assert hooks_of(name).uninstalled(text) == text


def test_toml_with_another_kind_of_value_in_our_place_is_refused() -> None:
    other = 'hooks = "x"\nmcp_servers = "y"\n'
    for content in (hooks_of("kimi"), mcp_of("codex")):
        assert content.state(other) is State.MISSING
        assert content.uninstalled(other) == other
        assert isinstance(content.installed(other), UnreadableText)
    table = '[hooks]\nevent = "PreToolUse"\ncommand = "intent-lsp hook kimi"\n'
    assert isinstance(hooks_of("kimi").installed(table), UnreadableText)
    assert hooks_of("kimi").uninstalled(table) == table
