"""Screenshots of the HTML report for the documentation: `make report-images`."""

import tempfile
from pathlib import Path

from intent_lsp.__main__ import main
from tests.support.chromium import chromium
from tests.support.sample_ledger import sample_ledger

IMAGES = Path(__file__).parents[2] / "docs" / "images"
EDITS = 600


def take(images: Path) -> None:
    """Write a screenshot of the sample ledger's report in each colour scheme into `images`."""
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        root, page = Path(directory) / "webshop", Path(directory) / "report.html"
        sample_ledger(root, EDITS)
        assert main(["trace", "report", "-C", str(root), "--html", str(page)]) == 0
        with chromium(Path(directory) / "profile") as browser:
            for scheme in ("light", "dark"):
                tab = browser.tab()
                tab.size(1200, 1800)
                tab.set_color_scheme(scheme)
                tab.open(page)
                (images / f"report-{scheme}.png").write_bytes(tab.picture())


if __name__ == "__main__":
    take(IMAGES)
