"""The page on codes that comes with the product: what each means, and the way out.

Invariant: it is read from where it is installed, or from the checkout; nothing is fetched.
"""

from pathlib import Path

import intent_lsp
from intent_lsp.store.fs.files import read_bytes


def codes_page() -> Path | None:
    """Find the page: beside the package in a checkout, inside it when installed."""
    package = Path(intent_lsp.__file__).parent
    pages = (package / "docs" / "codes.md", package.parent / "docs" / "codes.md")
    return next((page for page in pages if page.is_file()), None)


def sections() -> dict[str, str]:
    """Give the text of each code's section, as Markdown; nothing where the page is missing."""
    page = codes_page()
    text = "" if page is None else (read_bytes(page) or b"").decode()
    found: dict[str, str] = {}
    for part in text.split("\n### ")[1:]:
        code, _, rest = part.partition("\n")
        found[code.strip()] = rest.split("\n## ")[0].strip()
    return found
