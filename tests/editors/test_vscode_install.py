"""A window of VS Code where no server is: one click installs it, and the work goes on."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

import pytest

from intent_lsp import __version__
from tests.support import repository as repositories
from tests.support import vscode_journeys
from tests.support.governed_repository import govern

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STORAGE = "data/User/globalStorage/intent-lsp.intent-lsp"
PIPS_OWN = (".config/pip/pip.conf", ".pip/pip.conf")


@pytest.fixture
def without_server() -> Mapping[str, str]:
    """Give our environment as it is where nobody has installed the server."""
    places = os.environ["PATH"].split(os.pathsep)
    kept = [place for place in places if not (Path(place) / "intent-lsp").exists()]
    environment = {**os.environ, "PATH": os.pathsep.join(kept)}
    # The settings of pip are a person's: they say where packages come from.
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    settings = next(filter(Path.is_file, (home / name for name in PIPS_OWN)), None)
    if settings is not None:
        environment.setdefault("PIP_CONFIG_FILE", str(settings))
    return environment


def test_one_click_installs_the_server_and_the_intent_is_selected(
    tmp_path: Path, without_server: Mapping[str, str]
) -> None:
    root = govern(repositories.create(tmp_path / "repository")).root
    room = tmp_path / "room"
    room.mkdir()

    told = vscode_journeys.saw(vscode_journeys.installation(root, room, without_server), "install")

    assert "the server intent-lsp was not found" in told["asked"]
    assert told["status"] == "No intent"
    assert "Select the intent that you work for." in told["next"]
    assert (told["selected"], told["again"]) == ("INT-001 Login", "INT-001 Login")
    assert told["toasts"] == []
    stored = {path.name for path in (room / STORAGE).iterdir() if path.is_dir()}
    assert stored == {f"server-{__version__}"}
