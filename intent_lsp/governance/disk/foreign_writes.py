"""Changes by others to a file that a call changed too, recorded before the call's own change.

Invariant: the caller holds the root's lock.
"""

from msgspec import Struct

from intent_lsp.core.agents.tickets import TicketFile
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.disk.change_records import DiskRecorder
from intent_lsp.governance.disk.pending_changes import PendingChange, PendingChanges
from intent_lsp.governance.root.sessions import Session


class ForeignWrites(Struct, kw_only=True):
    """Records what other authors wrote into files that calls change.

    `observer` is the session whose snapshots noticed the writes; while it is None, nothing is
    recorded.
    """

    pending: PendingChanges
    recorder: DiskRecorder
    observer: Session | None = None

    def record_foreign(self, file: TicketFile, data: bytes | None) -> ContentHash | None:
        """Record what somebody else wrote into a file before or while a call claimed the file.

        Return the hash of what was written meanwhile, or None if none was found. `data` is the
        file's present content; None (no file, or its content is not known) means that only what was
        written before is recorded. A content noticed during the call is foreign if it is neither
        empty nor the present one. But if `data` begins with it, it may be an unfinished write of
        the call itself. Then it is foreign only if the call announced another text than `data`. The
        caller holds the root's lock.
        """
        self.record_before(file.path, file.pre_hash)
        seen = self.pending.waiting.get(file.path)
        third = None if seen is None or data is None else self._third(seen, file, data)
        if third is not None:
            self._record_step(file.path, file.pre_hash, third)
        return third

    def record_before(self, path: WorkspacePath, pre: ContentHash | None) -> None:
        """Record a file's change that a snapshot noticed before a call began and nobody reported.

        `pre` is the file's hash at the start of the call. The caller holds the root's lock.
        """
        seen = self.pending.waiting.get(path)
        if seen is not None:
            self.pending.stores.end_runs([path])
        if seen is None or not seen.old_known or pre == seen.old or self._comes(path, pre):
            return
        told = self.pending.stores.past.left_last(path, pre)
        if not told and not self.pending.is_own(path, pre) and pre in (*seen.passed, seen.new):
            self._record_step(path, seen.old, pre)

    def _comes(self, path: WorkspacePath, left: ContentHash | None) -> bool:
        """Return whether an editor has saved the content `left` and is about to record it."""
        if left is None or path not in self.pending.stores.coming_saves:
            return False
        return self.pending.stores.is_coming_save(path, self.pending.stores.content(left))

    def _third(self, seen: PendingChange, file: TicketFile, data: bytes) -> ContentHash | None:
        """Return the hash of the last content that somebody else wrote during the call, or None.

        `seen` is the pending change of the file. `data` is its present content, which does not
        count.
        """
        pre, now = file.pre_hash, hash_content(data)
        # The file does not hold what the call announced, so somebody else wrote too.
        mixed = file.announced is not None and file.announced != now
        held = (seen.old, *seen.passed, seen.new)
        after = held[len(held) - held[::-1].index(pre) :] if pre in held else ()
        for hash_ in reversed(after):
            content = None if hash_ is None else self.pending.stores.content(hash_)
            if content and hash_ != now and (mixed or not data.startswith(content)):
                return hash_
        return None

    def _record_step(
        self, path: WorkspacePath, old: ContentHash | None, new: ContentHash | None
    ) -> None:
        if self.observer is not None:
            self.recorder.record_step(self.observer, path, old, new)
