"""Screenshots of VS Code for the documentation: `make editor-images`."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support import repository as repositories
from tests.support import vscode_journeys
from tests.support.governed_repository import LINES, govern
from tests.support.isolation import isolate
from tests.support.vscode_authoring import authoring, begin

IMAGES = Path(__file__).parents[2] / "docs" / "images"
INVOICE = """\
from decimal import Decimal

RATE = Decimal("0.19")


def tax(net: Decimal) -> Decimal:
    cents = Decimal("0.01")
    return (net * RATE).quantize(cents)


def total(net: Decimal) -> Decimal:
    return net + tax(net)
"""
WRITES = """
import pathlib
invoice = pathlib.Path("src/billing/invoice.py")
invoice.write_text(invoice.read_text().replace('"0.01"', '"0.001"'))
"""
WORDS = {
    "line three": 'RATE = Decimal("0.20")',
    "line 5": "",
    "line five": "FREE = Decimal(0)",
    "line seven": '    cents = Decimal("0.001")',
    "line one": "import decimal",
}
"""What the journeys type in this file, in place of their own words."""


def take(images: Path) -> None:
    """Run all journeys in a small project, and write their screenshots into `images`."""
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        directory = Path(name)
        isolate(directory)
        shop = govern(repositories.create(directory / "webshop"))
        shop.write("src/billing/invoice.py", INVOICE)
        shop.write("src/auth/login.py", LINES)
        shop.commit("sell")
        agent = [sys.executable, "-c", WRITES]
        given = {"images": str(images), "words": WORDS}
        _saw_all(vscode_journeys.journeys(shop.root, directory, agent=agent, **given))
        written = directory / "written"
        written.mkdir()
        shop = begin(repositories.create(written / "webshop"), modeline=False)
        _saw_all(authoring(shop.root, written, images=str(images)))


def _saw_all(reports: Mapping[str, Any]) -> None:
    for journey in reports:
        vscode_journeys.saw(reports, journey)


if __name__ == "__main__":
    take(IMAGES)
