"""The intents file written in a window of VS Code, with yaml-language-server beside our server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.repository import Repository
from tests.support.vscode_journeys import Beside, journeys
from tests.support.vscode_yaml import yaml_extension
from tests.support.yaml_language_server import yaml_program

_SCHEMA = (Path(__file__).parents[2] / "client-configs" / "schemas" / "intents.json").as_uri()
_MODELINE = f"# yaml-language-server: $schema={_SCHEMA}\n"
_INTENTS = """\
active_intents:
  - id: INT-001
    name: Login
    status: PLANNED
    owned_scope:
      - "src/auth/**"
    acceptance_criteria: ["Tests pass"]
  - id: INT-002
    name:   Billing
    status: IN_PROGRESS
    owned_scope:
      - "src/billing"
"""


def begin(repository: Repository, *, modeline: bool = True) -> Repository:
    """Write and commit a project; a modeline names the schema to the other server."""
    for name in ("src/auth/login.py", "src/auth/token.py", "src/billing/invoice.py"):
        repository.write(name, "pass\n")
    repository.write(
        ".orchestration/active_intents.yaml", (_MODELINE if modeline else "") + _INTENTS
    )
    repository.commit()
    return repository


def authoring(root: Path, room: Path, **given: object) -> Mapping[str, Any]:
    """Run all journeys of writing in a window on a folder; return their reports, by journey."""
    settings = {
        "yamlClient.command": str(yaml_program()),
        "yaml.schemaStore.enable": False,
        "yaml.format.enable": True,
    }
    beside = Beside((yaml_extension(room),), settings)
    return journeys(root, room, script="authoring.mjs", beside=beside, **given)
