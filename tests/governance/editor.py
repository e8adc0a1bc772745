"""An editor as governance sees it: it opens, types, saves and closes, without a connection."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from intent_lsp.core.content import ContentHash, FileContent, content_of, split_lines
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import HUMAN
from intent_lsp.governance.authoring.authoring import IntentsAuthoring
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.governance.plan.checkout import Selection
from intent_lsp.governance.plan.scope_checks import ScopeChecks
from intent_lsp.governance.plan.work_checks import WorkChecks
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.saves import BeforeSave, Buffer, Written
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below

INTENTS = """\
# What we are at.
active_intents:
  - id: INT-001
    name: Auth   # since January
    status: IN_PROGRESS
    owned_scope: ["src/auth/**"]
    updated_at: 2026-01-01T00:00:00Z
  - id: INT-002
    name: Docs
    status: PLANNED
    owned_scope:
      - "docs/**"
    constraints: ["British spelling"]
    related_files: ["docs/guide.md", "src/db.py", "docs/none.md", "../x"]
    updated_at: "2026-01-01T00:00:00Z"
  - {id: INT-003, name: Done, status: COMPLETED, owned_scope: ["old/**"]}
  - {id: INT-004, name: Stuck, status: BLOCKED, owned_scope: ["lib/**"], aliases: [INT-OLD]}
"""


@dataclass
class Editor:
    """One window on one root; `reads` is what it last read of each file."""

    root: Path
    governance: Governance
    session: Session
    reads: dict[str, ContentHash | None] = field(default_factory=dict)

    @classmethod
    def open(cls, root: Path, session_id: str | None = None) -> "Editor":
        """Open the governance of a root, and a session in it."""
        governance = Governance(root)
        return cls(root, governance, governance.open_editor(session_id, HUMAN))

    @cached_property
    def authoring(self) -> IntentsAuthoring:
        """The answers about an intents file, as an editor's door makes them."""
        return IntentsAuthoring(self.governance.stores, self.governance.listing)

    @cached_property
    def work_checks(self) -> WorkChecks:
        """The checks of scopes by recorded work, as an editor's door makes them."""
        governance = self.governance
        return WorkChecks(governance.stores, governance.listing)

    @cached_property
    def scope_checks(self) -> ScopeChecks:
        """The checks of scopes, as an editor's door makes them."""
        return ScopeChecks(self.governance.stores, self.governance.listing, self.work_checks)

    def close(self) -> None:
        """Close the session and the governance."""
        self.governance.close(self.session)

    def place(self, path: str) -> ResolvedPath:
        """Return a path resolved; it has to be below the root."""
        found = resolve_below(self.root, path)
        assert found is not None
        return found

    def select(self, intent_id: str, *, unsaved_file: bool = False) -> Selection:
        """Select an intent; it has to be possible."""
        selection = self.governance.checkout.select(
            self.session, intent_id, unsaved_file=unsaved_file
        )
        assert isinstance(selection, Selection), selection
        return selection

    def show(self, path: str) -> str:
        """Open a file; return its text."""
        content = self.governance.looks.read_first(self.place(path).path)
        self.reads[path] = content.hash
        return content.text or ""

    def will_save(self, path: str, text: str, *, manual: bool = True) -> BeforeSave:
        """Ask before a save, as `willSaveWaitUntil` does."""
        if path not in self.reads:
            self.show(path)
        buffer = Buffer(lines=split_lines(text), read=self.reads[path], manual=manual)
        return self.governance.saves.before(self.session, self.place(path), buffer)

    def did_save(
        self, path: str, known: FileContent | bytes | None, *, automatic: bool = False
    ) -> AfterSave:
        """Report a save that replaced the content `known`."""
        known = known if isinstance(known, FileContent) else content_of(known)
        if path not in self.reads:
            self.reads[path] = known.hash
        place = self.place(path)
        after = self.governance.saves.after(
            self.session,
            place,
            Written(
                disk=self.governance.contents.on_disk(place.path),
                known=known,
                read=self.reads[path],
                automatic=automatic,
            ),
        )
        self.reads[path] = after.disk.hash
        return after

    def save(self, path: str, text: str, *, manual: bool = True) -> AfterSave:
        """Save a text: ask before, write what governance answers, report it after."""
        before = self.will_save(path, text, manual=manual)
        if before.draft is not None:
            text = "".join(before.disk.lines or [])
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, newline="")
        return self.did_save(path, before.disk, automatic=not manual)

    def look(self, path: str, text: str | None = None) -> OpenFileState:
        """Return the state of an open file, with `text` unsaved in it (None: nothing unsaved)."""
        if path not in self.reads:
            self.show(path)
        place, read = self.place(path), self.reads[path]
        disk = self.governance.contents.on_disk(place.path)
        return self.governance.looks.look(self.session, place, disk, read, edited=text is not None)

    def disk(self, path: str) -> bytes | None:
        """Return the bytes of a file on disk, or None if it is not there."""
        return self.governance.contents.disk(WorkspacePath(path))

    def policy(self, text: str) -> None:
        """Write the team's policy."""
        (self.root / ".orchestration/constraints.sidecar.yaml").write_text(f"sidecar:\n{text}")
