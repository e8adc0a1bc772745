"""The filter options that `trace` commands share.

Invariant: importing this module imports nothing that reads the ledger.
"""

import argparse
from typing import Final

VERDICTS: Final = ("PASS", "FAIL", "EXEMPT")


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the filter options and -C. A record must match all that are given."""
    parser.add_argument(
        "--intent",
        metavar="ID",
        action="append",
        help="of this intent, or one of its earlier ids; of any of them when given again",
    )
    parser.add_argument(
        "--path",
        metavar="PATH",
        help="that touched this file, a file below this directory, or one that this glob matches,"
        " as seen from here or from -C",
    )
    parser.add_argument("--session", metavar="ID", help="of this session")
    _add_deeds(parser)
    parser.add_argument(
        "--since", metavar="WHEN", help="not older than 30m, 2h, 3d, 1w, or than an RFC 3339 time"
    )
    parser.add_argument("--until", metavar="WHEN", help="older than such a moment")


def _add_deeds(parser: argparse.ArgumentParser) -> None:
    """Add the filters by contributor, tool, verdict and failure."""
    parser.add_argument(
        "--contributor",
        metavar="WHO",
        help="with lines by AI, HUMAN, MIXED or UNKNOWN, or by this model",
    )
    parser.add_argument(
        "--tool", metavar="NAME", help="made with this tool; `editor` means every editor/… too"
    )
    parser.add_argument(
        "--verdict", choices=VERDICTS, type=str.upper, help="recorded with this verdict"
    )
    parser.add_argument("--failed", action="store_true", help="that were tried and did not happen")


def count(text: str) -> int:
    """Return a number of records; 0 means all. Raise argparse.ArgumentTypeError if malformed."""
    if not (text.isascii() and text.isdigit() and len(text) <= len("999999999")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)
