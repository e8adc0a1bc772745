"""The command `serve`: starts the language server.

Serve one editor over standard input and output: show edits outside the selected
intent, judge saves, keep the ledger. `intent-lsp` alone does the same. Where no
.orchestration/active_intents.yaml governs, the server says nothing and writes nothing.
It logs to standard error, and warnings to the editor's own log.

Over TCP and WebSocket, too, the server has one client, and ends when the client leaves.
"""

import argparse
import sys
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.server_options import add_log_level, endpoint_option
from intent_lsp.formats.endpoint import read_origin

_SEE: Final = "see `intent-lsp serve --help`"
_ALONE: Final = (
    "intent-lsp: this is a language server, and it waits for an editor on standard input;"
    " `intent-lsp --help` lists the other commands (Ctrl-C ends this one)"
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_log_level(parser)
    _carriers(parser.add_mutually_exclusive_group())
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="what a client has to send as initializationOptions.token stands in this file, which"
        " nobody else may read; made with a fresh token if it is not there",
    )
    parser.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        type=_origin,
        default=[],
        help="let pages of this origin, https://HOST[:PORT], open the WebSocket; may be repeated",
    )


def _carriers(group: "argparse._MutuallyExclusiveGroup") -> None:
    group.add_argument(
        "--stdio",
        action="store_true",
        help="speak over standard input and output, as is done unless told otherwise;"
        " some editors add this of their own accord",
    )
    group.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        type=endpoint_option,
        help="wait for one client at this address; no HOST: this machine only; port 0: any;"
        " the first line on standard error says where",
    )
    group.add_argument(
        "--ws",
        metavar="HOST:PORT",
        type=endpoint_option,
        help="the same by WebSocket; needs --token-file, and intent-lsp[ws] to be installed",
    )


def _answer(call: Call) -> int:
    options = call.options
    scheme, endpoint = ("ws", options.ws) if options.ws else ("tcp", options.tcp)
    _check(options)
    if endpoint is not None:
        return call.doors.serve(
            options.log_level,
            scheme=scheme,
            endpoint=(endpoint.host, endpoint.port),
            token_file=options.token_file,
            origins=options.allow_origin,
        )
    if sys.stdin is not None and sys.stdin.isatty():
        call.page.remark(_ALONE)
    return call.doors.serve(options.log_level)


def _check(options: argparse.Namespace) -> None:
    """Raise WrongUsageError for an option that has no effect with the chosen transport."""
    if options.token_file is not None and not (options.tcp or options.ws):
        raise WrongUsageError("--token-file needs --tcp or --ws", cure=_SEE)
    if options.allow_origin and not options.ws:
        raise WrongUsageError("--allow-origin needs --ws", cure=_SEE)


def _origin(spelled: str) -> str:
    found = read_origin(spelled)
    if found is None:
        raise argparse.ArgumentTypeError(f"{spelled!r} is not an origin, such as https://HOST")
    return found


COMMAND: Final = Command(
    examples=(
        "intent-lsp",
        "intent-lsp serve --log-level debug 2>intent-lsp.log",
        "intent-lsp serve --tcp 127.0.0.1:2087 --token-file ~/.token",
        "intent-lsp serve --ws :0 --token-file ~/.token --allow-origin https://ide.example.org",
    ),
    in_root=False,
    arguments=_arguments,
    answer=_answer,
)
