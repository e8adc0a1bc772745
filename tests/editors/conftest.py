"""The option `--count` of the editor tests: `make test-editors ARGS="--count 20"`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--count", type=int, default=1, help="run each test this many times in a row")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat each test `--count` times; once where that option is unknown."""
    count = metafunc.config.getoption("count", 1)
    if count > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(1, count + 1), indirect=True, scope="module")


@pytest.fixture(scope="module")
def repetition(request: pytest.FixtureRequest) -> int:
    """Return the number of this repetition, from one."""
    number: int = getattr(request, "param", 1)
    return number
