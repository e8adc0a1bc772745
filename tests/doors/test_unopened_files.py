"""What is shown on files that no editor has open, where one program has changed many of them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from lsprotocol import types as lsp
from msgspec.structs import replace

from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.plan.checkout import Selection
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository
from tests.support.tracked_documents import tracked_documents_on

OUT = "SCOPE_VIOLATION"
CHANGED = LINES + "formatted\n"
LIB = tuple(f"lib/{number:02}.py" for number in range(51))
FIRST = LIB[0]


@dataclass
class Window:
    """A workplace on one root, and every push that left it where it pushes."""

    repository: Repository
    tracked_documents: TrackedDocuments
    open_root: OpenRoot
    pushed: list[lsp.PublishDiagnosticsParams] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self) -> None:
        """Record what has changed on disk since the last look, as one record."""
        changes = self.open_root.governance.disk_changes
        changes.look()
        assert len(changes.record(self.open_root.session, frozenset()).recorded) == 1

    async def burst(self, names: Iterable[str], text: str = CHANGED) -> None:
        """Have one program change some files, and look at them when that is recorded."""
        names = tuple(names)
        for name in names:
            self.repository.write(name, text)
        self.record()
        await self.look(names)

    async def look(self, names: Iterable[str]) -> None:
        """Look at some files that no editor has open."""
        await self.tracked_documents.look_at_closed(self.open_root, map(WorkspacePath, names))

    def open(self, name: str) -> None:
        """Open a file as the disk has it."""
        self.tracked_documents.opened(
            Document(
                uri=uri_of(self.repository.root / name),
                version=1,
                language_id="x",
                text=(self.repository.root / name).read_text(),
                encoding=PositionEncoding.UTF_16,
            )
        )

    def close(self, name: str) -> None:
        """Close a file."""
        tracked = self.tracked_documents.tracked(uri_of(self.repository.root / name))
        assert tracked is not None
        self.tracked_documents.closed(tracked)

    def messages(self, name: str) -> list[str]:
        """Give what was pushed last about a file."""
        uri = uri_of(self.repository.root / name)
        about = [each for each in self.pushed if each.uri == uri]
        return [each.message for push in about[-1:] for each in push.diagnostics]

    async def until_pushed(self, wanted: Mapping[str, list[str]]) -> None:
        """Wait until this is what was pushed last about some files."""

        async def wait() -> None:
            while any(self.messages(name) != said for name, said in wanted.items()):
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(wait(), 60)

    def shown(self) -> dict[str, list[str]]:
        """Give what a client that pulls is told of all files: their messages."""
        prefix = uri_of(self.repository.root) + "/"
        return {
            item.uri.removeprefix(prefix): [each.message for each in item.items]
            for item in self.tracked_documents.publisher.workspace(()).items
            if isinstance(item, lsp.WorkspaceFullDocumentDiagnosticReport)
        }


@asynccontextmanager
async def window_on(repository: Repository, *, push: bool = False) -> AsyncIterator[Window]:
    """Open a window whose person works for billing."""
    pushed: list[lsp.PublishDiagnosticsParams] = []
    news = asyncio.Event()

    def publish(params: lsp.PublishDiagnosticsParams) -> Callable[[], None]:
        def send() -> None:
            pushed.append(params)
            news.set()

        return send

    async with tracked_documents_on(
        repository.root, publish if push else None
    ) as tracked_documents:
        open_root = tracked_documents.open_roots.of_path(str(repository.root))
        assert open_root is not None
        chosen = open_root.governance.checkout.select(
            open_root.session, "INT-002", unsaved_file=False
        )
        assert isinstance(chosen, Selection)
        open_root.governance.disk_changes.look()
        yield Window(repository, tracked_documents, open_root, pushed, news)


@pytest.fixture
def library(repository: Repository) -> Repository:
    """Give a governed project with 51 files in a folder that is nobody's."""
    govern(repository)
    commit(repository, LIB)
    return repository


def commit(repository: Repository, names: Iterable[str], text: str = LINES) -> None:
    """Commit some files."""
    for name in names:
        repository.write(name, text)
    repository.commit()


def own(name: str) -> list[str]:
    """Give what a file shows by itself."""
    return [f"{name.rpartition('/')[2]} is outside the scope of INT-002 (Billing)."]


def for_all(name: str, others: str) -> list[str]:
    """Give what a file shows for others, too."""
    return [f"{own(name)[0]} The same is true of {others}. Open one to see its marked lines."]


async def test_of_more_than_fifty_files_one_is_shown_with_the_count(library: Repository) -> None:
    async with window_on(library) as window:
        await window.burst(LIB)
        assert window.shown() == {FIRST: for_all(FIRST, "50 more changed files in lib/")}
        # Asked about one of the others, the answer is that nothing is shown there.
        uri = uri_of(library.root / LIB[1])
        report = window.tracked_documents.publisher.document(uri, None)
        assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
        assert report.items == []
    # After a restart it is the same.
    async with window_on(library) as window:
        await window.look(LIB)
        assert window.shown() == {FIRST: for_all(FIRST, "50 more changed files in lib/")}


async def test_a_client_that_is_pushed_to_is_pushed_the_one_alone(library: Repository) -> None:
    async with window_on(library, push=True) as window:
        await window.burst(LIB)
        (push,) = window.pushed
        assert (push.uri, len(push.diagnostics)) == (uri_of(library.root / FIRST), 1)
        # All of them put back, it goes: none of the last fifty is shown on the way.
        for name in LIB:
            library.write(name, LINES)
        await window.look(LIB)
        assert [len(each.diagnostics) for each in window.pushed] == [1, 0]
        assert window.tracked_documents.all_tracked() == ()


async def test_fifty_files_show_their_own_and_do_so_again_when_one_is_put_back(
    library: Repository,
) -> None:
    async with window_on(library) as window:
        await window.burst(LIB)
        library.write(LIB[20], LINES)
        await window.look(LIB[20:21])
        assert window.shown() == {name: own(name) for name in LIB if name != LIB[20]}
        library.write(LIB[20], CHANGED)
        await window.look(LIB[20:21])
        assert window.shown() == {FIRST: for_all(FIRST, "50 more changed files in lib/")}


async def test_an_open_file_shows_its_own_and_no_other_appears(library: Repository) -> None:
    async with window_on(library, push=True) as window:
        await window.burst(LIB)
        window.open(LIB[7])
        fewer = for_all(FIRST, "49 more changed files in lib/")
        await window.until_pushed({LIB[7]: own(LIB[7]), FIRST: fewer})
        window.open(FIRST)
        fewer = for_all(LIB[1], "48 more changed files in lib/")
        await window.until_pushed({FIRST: own(FIRST), LIB[1]: fewer})
        window.close(FIRST)
        fewer = for_all(FIRST, "49 more changed files in lib/")
        await window.until_pushed({FIRST: fewer, LIB[1]: []})
        window.close(LIB[7])
        await window.until_pushed({FIRST: for_all(FIRST, "50 more changed files in lib/")})
        assert window.messages(LIB[7]) == []
        about = {each.uri for each in window.pushed}
        assert about == {uri_of(library.root / name) for name in (FIRST, LIB[1], LIB[7])}


async def test_each_record_counts_for_itself_over_all_folders(library: Repository) -> None:
    below = [f"lib/deep/{number:02}.py" for number in range(52)]
    beside = [f"src/{number:02}.py" for number in range(53)]
    commit(library, [*below, *beside])
    async with window_on(library) as window:
        await window.burst([*LIB, *below])
        in_lib = {FIRST: for_all(FIRST, "102 more changed files in lib/")}
        assert window.shown() == in_lib
        # What comes anew is another record.
        later = [f"lib/later{number}.py" for number in range(3)]
        await window.burst(later)
        assert window.shown() == in_lib | {name: own(name) for name in later}
        everywhere = [*below, *beside]
        await window.burst(everywhere, CHANGED + "again\n")
        first = below[0]
        assert window.shown() == {
            FIRST: for_all(FIRST, "50 more changed files in lib/"),
            first: for_all(first, "104 more changed files"),
        } | {name: own(name) for name in later}


async def test_renamed_files_are_shown_under_their_new_names(library: Repository) -> None:
    async with window_on(library) as window:
        for number, name in enumerate(LIB):
            library.write(name, f"{CHANGED}{number}\n" * 9)
        library.commit()
        window.record()
        (library.root / "lib").rename(library.root / "new")
        window.record()
        renamed = [f"new/{name.removeprefix('lib/')}" for name in LIB]
        await window.look([*LIB, *renamed])
        first = renamed[0]
        assert window.shown() == {first: for_all(first, "50 more changed files in new/")}


async def test_what_is_not_recorded_yet_is_one_as_well(library: Repository) -> None:
    async with window_on(library, push=True) as window:
        for name in LIB:
            library.write(name, CHANGED)
        await window.look(LIB)
        assert len(window.pushed) == 1
        # Recorded, the same is shown, and nothing else in between.
        window.record()
        await window.look(LIB)
        assert {each.uri for each in window.pushed} == {uri_of(library.root / FIRST)}
        assert window.messages(FIRST) == for_all(FIRST, "50 more changed files in lib/")


async def test_a_file_that_settings_hide_is_neither_shown_nor_counted(library: Repository) -> None:
    commit(library, more := ["lib/51.py", "lib/52.py"])
    async with window_on(library) as window:
        await window.burst([*LIB, *more])
        now = window.tracked_documents.settings.now
        window.tracked_documents.settings.now = replace(now, exclude=(FIRST,))
        window.tracked_documents.post_all()
        assert window.shown() == {LIB[1]: for_all(LIB[1], "51 more changed files in lib/")}
        window.tracked_documents.settings.now = replace(now, severity={OUT: None})
        window.tracked_documents.post_all()
        assert window.shown() == {}
        window.tracked_documents.settings.now = replace(now, severity={OUT: Severity.HINT})
        window.tracked_documents.post_all()
        assert window.shown() == {FIRST: for_all(FIRST, "52 more changed files in lib/")}


async def test_what_is_counted_takes_no_room_of_a_root(library: Repository) -> None:
    before = "".join(f"{number}\n" for number in range(200))
    after = "".join(f"{number}{'!' if number % 2 else ''}\n" for number in range(200))
    other = [f"other/{number}.py" for number in range(10)]
    commit(library, [*LIB, *other], before)
    async with window_on(library) as window:
        await window.burst(LIB, after)
        await window.burst(other, after)
        shown = window.shown()
        assert len(shown[FIRST]) == 1
        # 999 of the thousand are left for the others, each of which has a hundred.
        assert all(shown[name] == own(name) * 100 for name in other[:9])
        *last, rest = shown[other[9]]
        assert len(last) == 99
        assert rest.startswith("1 more ")


async def test_looks_that_overlap_show_a_root_when_the_last_is_over(library: Repository) -> None:
    async with window_on(library, push=True) as window:
        showing, root = window.tracked_documents.showing, window.open_root
        with showing.held_roots((root,)):
            await window.burst(LIB)
            assert window.pushed == []
        assert len(window.pushed) == 1
        with showing.held_roots((root,)), showing.held_roots((root,)):
            library.write(LIB[50], LINES)
            await window.look(LIB[50:])
            assert len(window.pushed) == 1
        assert len({each.uri for each in window.pushed}) == 50


async def test_at_the_end_nothing_more_is_shown(library: Repository) -> None:
    async with window_on(library, push=True) as window:
        with window.tracked_documents.showing.held_roots((window.open_root,)):
            await window.burst(LIB)
            window.tracked_documents.showing.end()
        assert window.pushed == []
