"""A system without file watches left: logged, in the status, and changes are still found."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.editor import SERVER, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LIMITED = ("unshare", "--user", "--map-root-user", "sh", "-c")
FEW = 'echo 12 >/proc/sys/user/max_inotify_watches && exec "$@" 2>>"$0"'
NONE = 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@" 2>>"$0"'


def can_be_limited() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(
        [*LIMITED, "echo 12 >/proc/sys/user/max_inotify_watches"], capture_output=True, check=False
    )
    return tried.returncode == 0


@pytest.mark.skipif(not can_be_limited(), reason="no user namespace in which watches are limited")
@pytest.mark.parametrize("limit", [FEW, NONE], ids=["watches", "instances"])
async def test_changes_are_looked_for_where_watches_run_out(
    repository: Repository, tmp_path: Path, limit: str
) -> None:
    govern(repository)
    for number in range(40):
        repository.write(f"src/auth/d{number}/a.py", "one\n")
    repository.commit()
    log = tmp_path / "log"
    command = (*LIMITED, limit, str(log), *SERVER)
    async with editing(repository.root, command=command) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        status = await editor.ask("intent/status")
        while "polling" not in status:
            status = await editor.ask("intent/status")
        assert "limit" in status["polling"] or "Too many" in status["polling"]
        repository.write("src/auth/d7/a.py", "one\ntwo\n")
        await editor.until(lambda: bool(editor.records()), "the change is recorded")
        (record,) = editor.records()
        assert record["files"][0]["relative_path"] == "src/auth/d7/a.py"
        said = [line for line in log.read_text().splitlines() if "looking again and again" in line]
        assert len(said) == (1 if limit == FEW else 2)
