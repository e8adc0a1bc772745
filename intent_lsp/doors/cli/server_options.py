"""Options that the commands which start a server share."""

import argparse

from intent_lsp.formats.endpoint import Endpoint, read_endpoint


def add_log_level(parser: argparse.ArgumentParser) -> None:
    """Add the option --log-level to a parser. Its default is `warning`."""
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="how much is logged to standard error: %(choices)s (default: %(default)s)",
    )


def endpoint_option(spelled: str) -> Endpoint:
    """Return the endpoint in an option: `HOST:PORT`, `:PORT` or `PORT`.

    A missing host means 127.0.0.1. Raise ArgumentTypeError for any other text.
    """
    found = read_endpoint(spelled)
    if found is None:
        raise argparse.ArgumentTypeError(f"{spelled!r} is not HOST:PORT")
    return found
