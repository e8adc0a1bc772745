"""The JSON Schemas in client-configs/schemas, made from the models.

`python -m tests.support.schema_files` writes them; a test compares them with the code.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from intent_lsp.formats.schemas.json_schema import MODELS, schema_text

FOLDER: Final = Path(__file__).parent.parent.parent / "client-configs" / "schemas"


def made() -> Mapping[Path, str]:
    """Return the text of each file, made from its model."""
    return {FOLDER / f"{name}.json": schema_text(name) for name in MODELS}


def written() -> Mapping[Path, str]:
    """Return the text of each file that is in the folder."""
    return {path: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
