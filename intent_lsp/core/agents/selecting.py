"""Recognizes special tool calls: those that select an intent, and those that open a shell."""

import shlex
from collections.abc import Iterable
from typing import Final

from intent_lsp.core.agents.tools import ToolCall, bare_name

SELECT_TOOL: Final = "select_active_intent"
_PROGRAMS: Final = frozenset({"intent-lsp", "intent_lsp"})
_VALUED: Final = frozenset({"--session", "--agent", "-C", "--root"})
_LONGEST: Final = 4096
_INTERACTIVE: Final = frozenset(
    ["bash", "sh", "zsh", "fish", "dash", "ksh", "python", "python3", "node", "irb"]
)
_ABOUT: Final = frozenset({"--version", "--help"})
_ABOUT_OF: Final = {"python": "-V", "python3": "-V", "node": "-v"}

_TOOL_PREFIXES: Final = ("mcp__{}__", "mcp_{}_", "{}__", "{}_", "{}-", "{}.", "{}/")
"""How hosts write the name of a server, `{}`, before that of its tool."""

OWN_TOOLS: Final = frozenset(
    {
        *("list_intents", SELECT_TOOL, "get_intent_context", "check_edit", "record_edit"),
        *("apply_edit", "request_scope_expansion", "report_verification", "complete_intent"),
        *("who_wrote", "ledger_status", "write_to_file"),
    }
)
"""The names of the tools of our own MCP server."""


def selected_in_shell(command: str | None) -> str | None:
    """Return ID if the shell command is `intent-lsp intents select ID`, else None.

    The program may also be called by a path, or as `python -m intent_lsp`, and options may follow.
    Return None too if one is `--session`, if there is a second operand, or if `_words` finds more
    than a simple command.
    """
    words = _words(command)
    if words[1:3] == ["-m", "intent_lsp"]:
        words = ["intent-lsp", *words[3:]]
    if not words or words[0].rpartition("/")[2] not in _PROGRAMS:
        return None
    if words[1:3] != ["intents", "select"]:
        return None
    operands, rest = [], iter(words[3:])
    for word in rest:
        if word.partition("=")[0] == "--session":
            return None
        if word in _VALUED:
            next(rest, None)
        elif not word.startswith("-"):
            operands.append(word)
    return operands[0] if len(operands) == 1 else None


def opens_shell(command: str | None) -> bool:
    """Whether a shell command only opens an interactive shell or interpreter, such as `bash -l`.

    False if it has an operand, an option with a `c` or `C` in it, since `-c` would run a text, or
    one that prints the version or help. Known are the programs in _INTERACTIVE; for others it is
    False.
    """
    words = _words(command)
    program = words[0].rpartition("/")[2] if words else ""
    if program not in _INTERACTIVE or not _ABOUT.isdisjoint(words):
        return False
    if _ABOUT_OF.get(program) in words:
        return False
    return all(word.startswith("-") and "c" not in word.lower() for word in words[1:])


def own_tool(call: ToolCall, servers: Iterable[str]) -> str | None:
    """Return the name in OWN_TOOLS of the tool that a call uses, or None if it is another tool.

    `servers` are the names under which hosts have registered our server. The call's tool name must
    begin with one of them, as hosts write it: `mcp__<server>__list_intents`,
    `<server>_list_intents` and the like. A bare `list_intents` gives None.
    """
    names = {name for server in servers for name in (server, server.replace("-", "_"))}
    begins = [form.format(name) for name in names for form in _TOOL_PREFIXES]
    return {begin + tool: tool for begin in begins for tool in OWN_TOOLS}.get(call.tool_name)


def may_be_own(call: ToolCall) -> bool:
    """Whether the call's tool name ends in a name from OWN_TOOLS and is longer than that name.

    What precedes it may then name our MCP server. Letter case counts.
    """
    return bare_name(call.tool_name).endswith(tuple(OWN_TOOLS)) and (
        call.tool_name not in OWN_TOOLS
    )


def _words(command: str | None) -> list[str]:
    """Return the words of a simple command, without quotes.

    Return [] if there is no command, if it is too long, or if it has an operator, a `$`, a
    back-quote, a back-slash, a line end or an open quote. Globs stay as they are written.
    """
    if command is None or len(command) > _LONGEST:
        return []
    lexer = shlex.shlex(command.strip(), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    if any(set(word) <= set("();<>|&") for word in words):
        return []
    # An expansion may be anything.
    if any(sign in command for sign in "$`\n\\"):
        return []
    return words
