"""Programs of which nobody counts which lines ran: linters, and what is measured by the clock."""

import os
from collections.abc import Mapping


def environment() -> Mapping[str, str]:
    """Give this process's environment without what has coverage measured."""
    return {name: os.environ[name] for name in os.environ if not name.startswith("COV")}
