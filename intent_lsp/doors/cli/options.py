"""The words that several commands share: where to look, and in which form to answer."""

import argparse


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a directory of the governed tree."""
    parser.add_argument(
        "-C",
        "--root",
        metavar="DIR",
        default=".",
        help="begin at DIR, not here; the governed root is found from there upwards",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option that asks for JSON; `what` says which."""
    parser.add_argument("--json", action="store_true", help=what)
