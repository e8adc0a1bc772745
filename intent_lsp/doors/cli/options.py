"""Options that several commands share: `-C` and `--json`."""

import argparse


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the option -C, a directory in the governed root."""
    parser.add_argument(
        "-C",
        "--root",
        metavar="DIR",
        default=".",
        help="begin at DIR, not here; the governed root is found from there upwards",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option --json. `what` is its help text."""
    parser.add_argument("--json", action="store_true", help=what)
