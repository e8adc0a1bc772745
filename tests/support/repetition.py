"""The option `--count`, by which tests of real editors and agent hosts run many times in a row."""

from contextlib import suppress

import pytest


def add_option(parser: pytest.Parser) -> None:
    """Add the option, unless another directory of tests has added it already."""
    with suppress(ValueError):
        parser.addoption(
            "--count", type=int, default=1, help="run each test this many times in a row"
        )


def repeat(metafunc: pytest.Metafunc) -> None:
    """Repeat a test `--count` times; once where that option is unknown."""
    count = metafunc.config.getoption("count", 1)
    if count > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(1, count + 1), indirect=True, scope="module")
