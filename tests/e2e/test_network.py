"""The server at a socket: an editor's day, and those who are not the editor."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.formats.endpoint import Endpoint
from tests.support.chromium import Tab, chromium
from tests.support.governed_repository import LINES, govern
from tests.support.raw_client import LIMIT, framed
from tests.support.repository import Repository
from tests.support.sockets import (
    SERVER,
    TOKEN,
    Process,
    SocketClient,
    WebClient,
    process,
    token_file,
    with_token,
)

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}
SHUTDOWN = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}


def ask(client: SocketClient, method: str, params: object = None) -> Any:
    """Ask, and pass over what the server says of itself meanwhile."""
    identity = client.begin(method, params)
    while (message := client.next()).get("id") != identity:
        pass
    return message["result"]


@pytest.mark.parametrize(
    ("scheme", "address"), [("tcp", "127.0.0.1:0"), ("tcp", "[::1]:0"), ("ws", "localhost:0")]
)
def test_an_editor_works_over_a_socket(
    scheme: str, address: str, repository: Repository, tmp_path: Path
) -> None:
    root = govern(repository).root
    words = (f"--{scheme}", address, "--token-file", str(tmp_path / "token"))
    with process(*words, cwd=tmp_path) as server, server.guest() as client:
        assert server.reach == "(this machine only)\n"
        token = (tmp_path / "token").read_text().strip()
        # `initialize` holds the token that the server made.
        client.begin(
            "initialize",
            INITIALIZE["params"] | with_token(token) | {"rootUri": uri_of(root)},  # type: ignore[operator]
        )
        assert client.next()["result"]["capabilities"]["experimental"] == {
            "intent": {"version": "1"}
        }
        client.notify("initialized", {})
        selected = ask(
            client, "intent/select", {"intentId": "INT-001", "workspaceUri": uri_of(root)}
        )
        assert selected["intent"]["id"] == "INT-001"
        save(client, root / LOGIN, "over a socket\n")
        ask(client, "shutdown")
        client.notify("exit")
        assert server.end() == (0, "")
    assert len((root / ".orchestration/agent_trace.jsonl").read_text().splitlines()) == 1
    verify = [sys.executable, "-m", "intent_lsp", "trace", "verify"]
    assert subprocess.run(verify, cwd=root, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
def test_who_says_exit_at_once_over_a_socket_has_a_record_and_a_session_that_ended(
    scheme: str, repository: Repository, tmp_path: Path
) -> None:
    root = govern(repository).root
    words = (f"--{scheme}", "localhost:0", "--token-file", str(token_file(tmp_path)))
    with process(*words, cwd=tmp_path) as server, server.guest() as client:
        client.initialize(**with_token(), rootUri=uri_of(root))
        ask(client, "intent/select", {"intentId": "INT-001", "workspaceUri": uri_of(root)})
        save(client, root / LOGIN, "over a socket\n")
        client.begin("shutdown")
        client.notify("exit")
        assert server.end() == (0, "")
    assert len((root / ".orchestration/agent_trace.jsonl").read_text().splitlines()) == 1
    assert LOGIN in (root / ".orchestration/intent_map.md").read_text()
    with closing(sqlite3.connect(root / ".orchestration/.local/state.sqlite3")) as state:
        assert state.execute("SELECT ended_at IS NULL FROM session").fetchall() == [(0,)]


def save(client: SocketClient, path: Path, more: str) -> None:
    client.open_document(uri_of(path), LINES)
    place = {"uri": uri_of(path), "version": 2}
    change = {"textDocument": place, "contentChanges": [{"text": LINES + more}]}
    client.notify("textDocument/didChange", change)
    path.write_text(LINES + more)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})


@pytest.mark.parametrize(("scheme", "number"), [("tcp", signal.SIGINT), ("ws", signal.SIGTERM)])
def test_a_signal_ends_the_server_and_its_client_is_told(
    scheme: str, number: signal.Signals, tmp_path: Path
) -> None:
    words = (f"--{scheme}", ":0", "--token-file", str(token_file(tmp_path)))
    with process(*words) as server, server.guest() as client:
        client.initialize(**with_token())
        server.process.send_signal(number)
        while client.inbox.get(timeout=LIMIT) is not None:
            pass
        client.leave()
        assert server.end() == (1, "")
        if isinstance(client, WebClient):
            assert client.closed == (1001, "the server is shutting down")


def test_a_signal_ends_a_server_that_nobody_came_to() -> None:
    with process("--tcp", ":0") as server:
        assert server.reach == (
            "(this machine only; every user of this machine can connect, since no --token-file was"
            " given)\n"
        )
        server.process.terminate()
        assert server.end() == (1, "")


def test_off_this_machine_it_is_said_who_can_come(tmp_path: Path) -> None:
    words = ("--tcp", "0.0.0.0:0", "--token-file", str(token_file(tmp_path)))
    with process(*words) as server, server.guest() as client:
        assert "not encrypted" in server.reach
        assert "result" in client.initialize(**with_token())


def test_a_second_client_is_told_that_there_is_one() -> None:
    with process("--tcp", ":0") as server, server.guest() as first:
        first.initialize()
        with server.guest() as second:
            assert "it serves only one" in second.next()["error"]["message"]
            assert second.sent_nothing_more()
        assert ask(first, "shutdown") is None


def refused(*words: str) -> str:
    done = subprocess.run(
        [*SERVER, *words], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--ws", ":0"), "--ws needs a token"),
        (("--tcp", "0.0.0.0:0"), "--tcp 0.0.0.0:0 needs a token: other machines can reach it"),
        (("--tcp", "[::]:0"), "--tcp [::]:0 needs a token"),
        (("--tcp", "192.0.2.1:0"), "cannot listen on 192.0.2.1:0"),
    ],
)
def test_what_would_protect_nobody_is_refused(words: Sequence[str], problem: str) -> None:
    assert problem in refused(*words)


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    open_to_all = token_file(tmp_path, mode=0o644)
    assert "gives other users access; run `chmod 600` on the file" in refused(
        "--tcp", ":0", "--token-file", str(open_to_all)
    )


def test_without_the_package_for_websockets_it_is_said_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules['websockets'] = None\n"
        "from intent_lsp.__main__ import main\n"
        f"sys.exit(main(['serve', '--ws', ':0', '--token-file', {str(tmp_path / 't')!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 2
    assert "pip install 'intent-lsp[ws]'" in done.stderr


@pytest.fixture
def seen_by_all() -> Iterator[Path]:
    """Give a directory that every user of this machine can enter."""
    directory = Path(f"/tmp/intent-lsp-{os.getpid()}")  # noqa: S108 - removed below
    directory.mkdir(mode=0o755)
    try:
        yield directory
    finally:
        for path in directory.iterdir():
            path.unlink()
        directory.rmdir()


def as_nobody(script: str, *words: str) -> tuple[int, bytes]:
    """Run a script of bash as a user who owns nothing here."""
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        user="nobody",
        group="nogroup",
        extra_groups=[],
        cwd="/",
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_of_this_machine_gets_nothing(seen_by_all: Path) -> None:
    token = seen_by_all / "token"
    with process("--tcp", ":0", "--token-file", str(token)) as server:
        assert as_nobody('ls "$1"', str(seen_by_all)) == (0, b"token\n")
        assert as_nobody('cat "$1"', str(token)) == (1, b"")
        said = framed(INITIALIZE) + framed(SHUTDOWN)
        (seen_by_all / "said").write_bytes(said)
        script = 'exec 3<>"/dev/tcp/127.0.0.1/$1"; cat "$2" >&3; cat <&3'
        status, answer = as_nobody(script, str(server.address[1]), str(seen_by_all / "said"))
        assert status == 0
        assert answer.count(b"Content-Length") == 1
        assert b"initializationOptions.token: is missing" in answer
        # The owner of the token is served all the same.
        with server.guest() as client:
            assert "result" in client.initialize(**with_token(token.read_text().strip()))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_token_of_another_user_is_refused(seen_by_all: Path) -> None:
    os.chown(token_file(seen_by_all), 65534, 65534)
    found = refused("--tcp", ":0", "--token-file", str(seen_by_all / "token"))
    assert "belongs to another user" in found


@contextmanager
def website(directory: Path) -> Iterator[str]:
    """Serve an empty page at an origin of its own; give the origin."""
    (directory / "index.html").write_text("<!doctype html><title>A page</title>")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def page(origin: str, profile: Path) -> Iterator[Tab]:
    with chromium(profile) as browser:
        tab = browser.tab()
        for domain in ("Page", "Runtime"):
            tab.ask(f"{domain}.enable")
        tab.ask("Page.navigate", url=f"{origin}/index.html")
        browser.wait_for(tab, "Page.loadEventFired")
        yield tab


def evaluate(tab: Tab, expression: str) -> Any:
    found = tab.ask(
        "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
    )
    assert "exceptionDetails" not in found, found
    return found["result"].get("value")


OPEN_AND_SAY = """
new Promise(done => {
  const socket = new WebSocket(%r), told = [];
  socket.onopen = () => { told.push("open"); socket.send(%r); };
  socket.onmessage = message => told.push(JSON.parse(message.data));
  socket.onclose = close => done([...told, close.code]);
})
"""
POST = """
fetch(%r, {method: "POST", mode: "no-cors", headers: {"Content-Type": "text/plain"}, body: %r})
  .then(() => "answered", error => "failed")
"""


def say(server: Process, text: str) -> str:
    return OPEN_AND_SAY % (f"ws://{Endpoint(*server.address)}/", text)


def test_a_web_page_in_a_real_browser_gets_nothing(tmp_path: Path) -> None:
    site, profile = tmp_path / "site", tmp_path / "profile"
    site.mkdir()
    guarded = ("--ws", ":0", "--token-file", str(token_file(tmp_path)))
    hello = framed(INITIALIZE).partition(b"\r\n\r\n")[2].decode()
    with website(site) as origin, page(origin, profile) as tab:
        with process(*guarded) as server:
            # Closed before it was open: the browser tells no page more than that.
            assert evaluate(tab, say(server, hello)) == [1006]
            with server.guest() as client:
                assert "result" in client.initialize(**with_token())
        with process(*guarded, "--allow-origin", origin) as server:
            opened, told, code = evaluate(tab, say(server, hello))
            assert (opened, code) == ("open", 1008)
            assert "initializationOptions.token: is missing" in told["error"]["message"]
            with server.guest() as client:
                assert "result" in client.initialize(**with_token())


def test_a_web_page_cannot_smuggle_messages_into_a_request(tmp_path: Path) -> None:
    site, profile = tmp_path / "site", tmp_path / "profile"
    site.mkdir()
    smuggled = (framed(INITIALIZE) + framed({"jsonrpc": "2.0", "method": "exit"})).decode()
    with website(site) as origin, page(origin, profile) as tab, process("--tcp", ":0") as server:
        url = f"http://{Endpoint(*server.address)}/"
        assert evaluate(tab, POST % (url, "\n" + smuggled)) == "failed"
        # Nobody has become the client, and the server has not ended.
        with server.guest() as client:
            assert "result" in client.initialize()


def test_the_token_is_told_to_no_log(tmp_path: Path) -> None:
    words = ("--ws", ":0", "--log-level", "debug", "--token-file", str(token_file(tmp_path)))
    with process(*words) as server, server.guest() as client:
        client.initialize(**with_token())
        client.notify("exit")
        client.reader.join(LIMIT)
        status, log = server.end()
        assert status == 1
        assert TOKEN not in log
