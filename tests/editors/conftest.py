"""How often the stories and journeys are told: `make test-editors ARGS="--count 20"`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--count", type=int, default=1, help="go through each so many times in a row")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tell each as often as was asked; where nobody could ask, once."""
    count = metafunc.config.getoption("count", 1)
    if count > 1:
        metafunc.fixturenames.append("go")
        metafunc.parametrize("go", range(1, count + 1), indirect=True, scope="module")


@pytest.fixture(scope="module")
def go(request: pytest.FixtureRequest) -> int:
    """Return the number of this go, from one."""
    number: int = getattr(request, "param", 1)
    return number
