"""How a connection over standard input and output begins and ends, in processes of their own."""

import shlex
import signal
import subprocess
import sys

import pytest

from tests.support.raw_client import LIMIT, ROOT, child, framed

pytestmark = pytest.mark.e2e

SERVER = [sys.executable, "-m", "tests.support.tiny_server"]


def test_exit_after_shutdown_is_status_0() -> None:
    with child() as client:
        client.initialize()
        assert client.ask("shutdown")["result"] is None
        client.notify("exit")
        assert client.sent_nothing_more()
        assert client.end()[0] == 0


def test_exit_without_shutdown_is_status_1() -> None:
    with child() as client:
        client.initialize()
        client.notify("exit")
        assert client.sent_nothing_more()
        assert client.end() == (1, "")


def test_exit_is_obeyed_before_initialize() -> None:
    with child() as client:
        client.notify("exit")
        assert client.sent_nothing_more()
        assert client.end() == (1, "")


def test_the_end_of_the_input_is_a_clean_end() -> None:
    with child() as client:
        client.initialize()
        client.begin("intent/echo")
        client.hang_up()
        assert client.next()["result"] is None
        assert client.sent_nothing_more()
        assert client.end() == (1, "")


def test_the_end_of_the_input_in_the_middle_of_a_message_is_a_clean_end() -> None:
    with child() as client:
        client.initialize()
        client.raw(b"Content-Length: 100\r\n\r\n{")
        client.hang_up()
        assert client.sent_nothing_more()
        assert client.end() == (1, "")


def test_the_end_of_the_input_after_shutdown_is_status_0() -> None:
    with child() as client:
        client.initialize()
        client.ask("shutdown")
        client.hang_up()
        assert client.end()[0] == 0


def test_a_closed_output_ends_the_server_quietly() -> None:
    with subprocess.Popen(
        SERVER, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(framed({"jsonrpc": "2.0", "id": 1, "method": "intent/echo"}))
        process.stdin.flush()
        assert b"Content-Length" in process.stdout.readline()
        process.stdout.close()
        process.stdin.write(framed({"jsonrpc": "2.0", "id": 2, "method": "intent/echo"}))
        process.stdin.flush()
        # Its input stays open: only the closed output can have ended it.
        assert process.wait(LIMIT) == 1
        assert process.stderr.read() == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_broken_world(closed: str) -> None:
    words = " ".join(shlex.quote(word) for word in SERVER)
    done = subprocess.run(
        ["sh", "-c", f"exec {words} {closed}"],
        cwd=ROOT,
        input=framed({"jsonrpc": "2.0", "method": "exit"}),
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_quietly(number: signal.Signals) -> None:
    with child() as client:
        client.initialize()
        client.ask("intent/echo")
        client.process.send_signal(number)
        assert client.sent_nothing_more()
        assert client.end() == (1, "")


def test_stray_output_goes_to_standard_error() -> None:
    with child() as client:
        client.initialize()
        assert client.ask("intent/print")["result"] is None
        client.notify("exit")
        assert client.sent_nothing_more()
        assert client.end()[1].splitlines() == ["stray words", "stray bytes", "stray child"]


def test_a_child_process_cannot_read_what_the_client_sends() -> None:
    with child() as client:
        client.initialize()
        client.begin("intent/childReads")
        client.begin("intent/echo", [1])
        assert client.next()["result"] == ""
        assert client.next()["result"] == [1]


def test_unexpected_errors_are_told_in_the_log_alone() -> None:
    with child() as client:
        client.initialize()
        for method in ("intent/boom", "intent/boomLater"):
            error = client.ask(method)["error"]
            assert error["code"] == -32603
            assert "data" not in error
            assert "secret" not in error["message"]
            assert "ValueError" not in error["message"]
            assert "\n" not in error["message"]
        client.notify("exit")
        _, log = client.end()
        assert log.count("Traceback") == 2
        assert log.count("ValueError: the secret is /home/ada/key") == 2


def test_errors_for_the_client_leave_no_traceback_in_the_log() -> None:
    with child() as client:
        client.initialize()
        error = client.ask("intent/refuse")["error"]
        assert error == {
            "code": -32803,
            "message": "no such intent",
            "data": {"code": "INTENT_NOT_FOUND"},
        }
        client.notify("exit")
        assert client.end() == (1, "")
