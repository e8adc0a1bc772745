"""Where a report is put: a new file, or the place of an earlier report.

Invariant: nothing but a report is replaced unasked, and a control file never.
"""

from pathlib import Path

from intent_lsp.core.control_plane import control_plane
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.formats.report.page import OPENING
from intent_lsp.store.fs.files import create_file, read_bytes, replace_file
from intent_lsp.store.fs.resolve import real_relative


def put_report(file: Path, page: str, *, root: Path, force: bool) -> None:
    """Write a report. Raises WrongUsageError, FileChangedError, UnsafePathError and OSError."""
    _refuse_control_files(file, root)
    if not file.parent.is_dir():
        raise WrongUsageError(f"{file.parent} is not a directory", cure="make it first")
    data, before = page.encode(), read_bytes(file)
    if before is None:
        if not create_file(file, data):
            raise WrongUsageError(f"{file} exists and is not a regular file", cure="give another")
        return
    if not (force or before.startswith(OPENING.encode())):
        raise WrongUsageError(
            f"{file} exists and is not a report", cure="give another file, or use --force"
        )
    replace_file(file, data, root=file.parent, expected=before)


def _refuse_control_files(file: Path, root: Path) -> None:
    place = real_relative(root, str(file.absolute()))
    names = () if place is None else (place.path, place.real)
    if any(name is not None and control_plane(name) for name in names):
        raise WrongUsageError(f"{file} governs this project", cure="give another file")
