"""Files are known by stamps that any later change would alter."""

import os
from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.tree_reader import KnownFiles

FILE = WorkspacePath("a.txt")


def test_a_change_right_after_the_stamp_shows_in_it(tmp_path: Path) -> None:
    known = KnownFiles(tmp_path)
    with (tmp_path / FILE).open("wb", buffering=0) as file:
        for number in range(100):
            os.pwrite(file.fileno(), b"%3d" % number, 0)
            known.note(FILE, known.settled_stamp(FILE))
            assert known.is_unchanged(FILE)
            # As many bytes, and as soon as can be.
            os.pwrite(file.fileno(), b"%3d" % -number, 0)
            assert not known.is_unchanged(FILE)


def test_a_time_that_was_set_back_does_not_hide_a_change(tmp_path: Path) -> None:
    known, path = KnownFiles(tmp_path), tmp_path / FILE
    path.write_bytes(b"one")
    before = path.stat()
    known.note(FILE, known.settled_stamp(FILE))
    path.write_bytes(b"two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not known.is_unchanged(FILE)


def test_what_was_never_noted_or_is_gone_is_not_known(tmp_path: Path) -> None:
    known, path = KnownFiles(tmp_path), tmp_path / FILE
    assert known.settled_stamp(FILE) is None
    assert not known.is_unchanged(FILE)
    path.write_bytes(b"one")
    known.note(FILE, known.settled_stamp(FILE))
    path.unlink()
    assert not known.is_unchanged(FILE)
    path.write_bytes(b"one")
    known.note(FILE, known.settled_stamp(FILE))
    known.note(FILE, None)
    assert not known.is_unchanged(FILE)
