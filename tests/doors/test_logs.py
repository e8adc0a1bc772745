"""The log of a server: what goes to standard error, and what to the client."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.logs import logging_to
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.server import build_server
from tests.support.raw_client import ThreadClient, thread

LOG = logging.getLogger("intent_lsp.test.voice")


@contextmanager
def a_client(level: str = "warning") -> Iterator[ThreadClient]:
    with thread() as client, logging_to(client.server.protocol, level):
        yield client


def next_log(client: ThreadClient) -> tuple[int, str]:
    message = client.next()
    assert message["method"] == "window/logMessage"
    return message["params"]["type"], message["params"]["message"]


def test_warnings_and_errors_reach_the_client_once_it_is_initialized() -> None:
    with a_client() as client:
        LOG.error("before anybody listens")
        client.initialize()
        LOG.info("unheard")
        LOG.warning("careful: %s", 1)
        LOG.critical("bad")
        assert next_log(client) == (lsp.MessageType.Warning, "voice: careful: 1")
        assert next_log(client) == (lsp.MessageType.Error, "voice: bad")


def test_a_client_that_traces_hears_more() -> None:
    with a_client() as client:
        client.initialize()
        client.notify("$/setTrace", {"value": "messages"})
        # A request is answered after the notification before it.
        client.ask("textDocument/hover", {"textDocument": {"uri": "a:b"}, "position": PLACE})
        LOG.debug("unheard")
        LOG.info("news")
        assert next_log(client) == (lsp.MessageType.Info, "voice: news")


PLACE = {"line": 0, "character": 0}


def test_an_exception_is_told_in_one_line_and_traced_to_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with a_client() as client:
        client.initialize()
        try:
            int("z")
        except ValueError:
            LOG.exception("it failed")
            LOG.exception("x" * 9000)
        kind, said = next_log(client)
        assert kind == lsp.MessageType.Error
        assert said == "voice: it failed: ValueError: invalid literal for int() with base 10: 'z'"
        assert next_log(client)[1] == "voice: " + "x" * (8192 - len("voice: "))
    err = capfd.readouterr().err
    assert "ERROR intent_lsp.test.voice: it failed" in err
    assert "Traceback" in err
    assert len(err) > 9000


@pytest.mark.parametrize(
    ("level", "heard"), [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e")]
)
def test_standard_error_hears_from_its_level_on(
    capsys: pytest.CaptureFixture[str], level: str, heard: str
) -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    with logging_to(build_server().protocol, level):
        for name in ("debug", "info", "warning", "error"):
            getattr(LOG, name)(name[0])
    assert (root.level, list(root.handlers)) == before
    said = [line.rpartition(" ")[2] for line in capsys.readouterr().err.splitlines()]
    assert "".join(said) == heard


def test_nothing_is_sent_after_shutdown() -> None:
    with a_client() as client:
        client.initialize()
        assert client.ask("shutdown")["result"] is None
        LOG.error("too late")
        client.notify("exit")
        assert client.sent_nothing_more()


class Pen:
    """A writer that logs, and then breaks."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.bodies.append(json.loads(data.partition(b"\r\n\r\n")[2]))
        LOG.error("while writing")
        raise OSError("the pipe is gone")

    def close(self) -> None:
        """Have nothing to close."""


def test_what_sending_logs_is_not_sent_and_a_broken_writer_is_not_felt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    protocol: IntentProtocol = build_server().protocol
    pen = Pen()
    protocol.set_writer(pen)  # type: ignore[no-untyped-call]  # pygls's
    protocol.server_capabilities = lsp.ServerCapabilities()
    with logging_to(protocol, "error"):
        LOG.error("first")
        LOG.error("second")
    said = [body["params"]["message"] for body in pen.bodies]
    assert said == ["voice: first", "voice: second"]
    assert capsys.readouterr().err.count("while writing") == 2
    assert sys.stderr is not None
