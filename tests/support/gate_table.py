"""The gate's rows, as the table of the specification has them (requirements section 6.1)."""

import re
from pathlib import Path
from typing import NamedTuple

REQUIREMENTS = Path(__file__).parents[2] / "docs" / "spec" / "requirements.md"


class Row(NamedTuple):
    """A row of the table: its cells but the number, as they are written."""

    applies: str
    code: str
    label: str
    message: str


def gate_table() -> dict[int, Row]:
    """Read the table; give each row by its number."""
    text = REQUIREMENTS.read_text(encoding="utf-8")
    section = text.split("### 6.1 ")[1].split("### 6.2 ")[0]
    cells = re.findall(r"^\| (\d+) \| (.*?) \| (.*?) \| (.*?) \| (.*) \|$", section, re.MULTILINE)
    return {int(number): Row(*rest) for number, *rest in cells}
