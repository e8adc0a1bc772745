"""The command `hook`: answers one event of an agent host.

Read one event of an agent host's hook from standard input, judge or record it, and
answer as that host expects. An agent host runs this command; `intent-lsp agents install`
writes the registration.
"""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command


def answer(call: Call) -> int:
    """Answer the agent host's event on standard input, and return the exit status."""
    return call.doors.hook(call.options.host, call.options.event)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="the agent host, such as claude or codex")
    parser.add_argument(
        "--event", metavar="NAME", help="the name of the event, where its payload has none"
    )


COMMAND: Final = Command(
    examples=("intent-lsp hook claude", "intent-lsp hook antigravity --event PreToolUse"),
    in_root=False,
    arguments=_arguments,
    answer=answer,
)
