"""The command `mcp`: starts the MCP server.

Serve an agent's host by the Model Context Protocol: tools to select an intent, to check,
make and record edits, to ask for scope and to read the ledger. Over standard input and
output, as hosts start it, or over HTTP on this machine, with a token. Without --root, the
project is found from the paths of each call, else from the working directory.
"""

import argparse
import sys
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import directory
from intent_lsp.doors.cli.server_options import add_log_level, endpoint_option

_SEE: Final = "see `intent-lsp mcp --help`"
_ALONE: Final = (
    "intent-lsp: this is an MCP server, and it waits for an agent's host on standard input;"
    " `intent-lsp --help` lists the other commands (Ctrl-C ends this one)"
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-C",
        "--root",
        metavar="DIR",
        help="serve only the project of this directory; the governed root is found from there"
        " upwards",
    )
    _http_arguments(parser)
    add_log_level(parser)


def _http_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http",
        metavar="HOST:PORT",
        type=endpoint_option,
        help="serve HTTP at this address of this machine; no HOST: 127.0.0.1; port 0: any; the"
        " first line on standard error says where. Needs --token-file",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="what a client has to send as `Authorization: Bearer TOKEN` stands in this file,"
        " which nobody else may read; made with a fresh token if it is not there",
    )


def _answer(call: Call) -> int:
    options = call.options
    if options.root is not None:
        directory(options.root)
    if options.http is not None and options.token_file is None:
        raise WrongUsageError(
            "--http needs a token: without one, every user and web page of this machine could"
            " connect",
            cure="add `--token-file FILE`; the file is created with a new token if it does not"
            " exist",
        )
    if options.token_file is not None and options.http is None:
        raise WrongUsageError("--token-file needs --http", cure=_SEE)
    if options.http is None and sys.stdin is not None and sys.stdin.isatty():
        call.page.remark(_ALONE)
    return call.doors.serve_mcp(
        options.log_level,
        root=options.root,
        endpoint=None if options.http is None else (options.http.host, options.http.port),
        token_file=options.token_file,
    )


COMMAND: Final = Command(
    examples=(
        "intent-lsp mcp",
        "intent-lsp mcp --root ~/work/project",
        "intent-lsp mcp --http 127.0.0.1:8123 --token-file ~/.intent-lsp-token",
    ),
    in_root=False,
    arguments=_arguments,
    answer=_answer,
)
