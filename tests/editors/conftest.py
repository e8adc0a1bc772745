"""The option `--count` of the editor tests: `make test-editors ARGS="--count 20"`."""

import pytest

from tests.support import repetition as repetitions


def pytest_addoption(parser: pytest.Parser) -> None:
    repetitions.add_option(parser)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    repetitions.repeat(metafunc)


@pytest.fixture(scope="module")
def repetition(request: pytest.FixtureRequest) -> int:
    """Return the number of this repetition, from one."""
    number: int = getattr(request, "param", 1)
    return number
