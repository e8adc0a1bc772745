"""Answers hooks of agent hosts for one open root, at a local socket (hooks section 5).

Invariant: each hook is answered in a thread of its own, not on the event loop.
Invariant: only this user can reach the socket.
"""

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from intent_lsp.core.agents.hook_answer import HookAnswer
from intent_lsp.core.agents.hook_event import HookDecision, HookEvent
from intent_lsp.core.gate.request import NO_ANSWER, ApprovalAnswer
from intent_lsp.formats.hook_wire import HookRequest, encode_reply, encode_waiting, read_request
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.person_wire import encode_answer, read_question
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalTime
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_answers import ElsewhereError, HookAnswering, HookCall
from intent_lsp.governance.hooks.hook_events import decide
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs.write import make_directory, remove_file
from intent_lsp.store.hook_socket import is_private, read_line, socket_places
from intent_lsp.store.stopwatch import stopwatch

_log: Final = logging.getLogger(__name__)

TAKEN_OVER_WITHIN: Final = 5.0
"""Seconds within which a server notices that the one before it has ended."""

_WAITING: Final = 64
_READING_SECONDS: Final = 5.0


class WithdrawableQuestions(Protocol):
    """What asks the person at the editor, and grants the scope that the person approves.

    A question is withdrawn once nobody waits for the answer.
    """

    def ask(
        self, question: ApprovalQuestion, time: ApprovalTime, is_wanted: Callable[[], bool]
    ) -> ApprovalAnswer:
        """Ask the person. Return their answer, or one that says why there is none.

        `time` limits the wait, which also ends once `is_wanted` returns False.
        """
        ...

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        """Grant the scope `wish` that the person has approved. Return the grant, or a refusal.

        `session` asked for the grant.
        """
        ...


class HookListener:
    """Answers the hooks of one root for as long as the root is open.

    `person` asks the person at the editor, for hooks and other processes that connect to the
    socket. `person` is None while nobody can be asked.
    """

    def __init__(self, governance: Governance) -> None:
        self._governance = governance
        self._root = os.path.realpath(governance.root)
        self._place = Path(socket_places(governance.root)[0])
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._socket: socket.socket | None = None
        self.person: WithdrawableQuestions | None = None

    def begin(self) -> None:
        """Start to listen. While another server listens for this root, wait until it has ended.

        The wait is in the background. If no socket can be opened, log that and answer no hooks.
        """
        if not self._begin_unless_taken():
            name = f"wait for {self._place}"
            threading.Thread(target=self._take_over, name=name, daemon=True).start()

    def end(self) -> None:
        """Stop listening, and remove the socket. Answers under way go on."""
        self._ended.set()
        with self._lock:
            listening, self._socket = self._socket, None
        if listening is None:
            return
        with contextlib.suppress(OSError):
            remove_file(self._place)
        with contextlib.suppress(OSError):
            # A thread that waits for a connection is woken by this, not by closing the socket.
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()

    def _take_over(self) -> None:
        while not self._ended.wait(TAKEN_OVER_WITHIN) and not self._begin_unless_taken():
            pass

    def _begin_unless_taken(self) -> bool:
        """Start to listen. Return False if another process listens at the place.

        Return True also if listening has failed or `end` was called: then there is no use in a
        retry.
        """
        try:
            with self._lock:
                if self._ended.is_set():
                    return True
                listening = self._socket = _bound(self._place)
        except OSError as problem:
            _log.info("hooks are not answered at %s: %s", self._place, problem)
            return True
        if listening is None:
            return False
        threading.Thread(target=self._listen, args=(listening,), daemon=True).start()
        return True

    def _listen(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                line = read_line(connection, _READING_SECONDS, stopwatch())
                connection.sendall(self._answer_to(line, connection))
            except OSError as problem:
                _log.info("a hook went away before its answer: %s", problem)
            finally:
                self._governance.unreported.write()

    def _answer_to(self, line: bytes, connection: socket.socket) -> bytes:
        """Return the reply to `line`, which is an event of a hook or a question for the person.

        For any other line, the reply says that the hook has to judge by itself.
        """
        question = read_question(line)
        if question is not None:
            if self.person is None or question.root != self._root:
                return encode_answer(NO_ANSWER)
            asked = ApprovalQuestion(text=question.text, titles=question.titles)
            time, is_wanted = ApprovalTime(question.seconds), partial(_is_open, connection)
            return encode_answer(self.person.ask(asked, time, is_wanted))
        request = read_request(line)
        return encode_reply(None if request is None else self._reply(request, connection))

    def _reply(self, request: HookRequest, connection: socket.socket) -> HookAnswer | None:
        """Return the answer to a hook. Return None if the hook has to judge by itself.

        That is so for an unknown host and for an event in another root.
        """
        host = HOSTS.get(request.host)
        if host is None:
            return None
        call = HookCall.of(host, request.event, request.environment, request.cwd)
        try:
            return HookAnswering(call, partial(self._decide, connection)).answer(request.payload)
        except ElsewhereError:
            return None

    def _decide(
        self, connection: socket.socket, call: HookCall, root: Path, event: HookEvent
    ) -> HookDecision:
        """Return the decision on an event in `root`.

        Raise ElsewhereError if `root` is not the root of this listener.
        """
        if os.path.realpath(root) != self._root:
            raise ElsewhereError
        person = None if self.person is None else _WaitedFor(self.person, connection)
        return decide(self._governance, call, event, person)


class _WaitedFor(Struct, frozen=True):
    """Asks the person at the editor, for a hook that waits for the answer.

    First tells the hook how long the answer may take.
    """

    person: WithdrawableQuestions
    connection: socket.socket

    def ask(self, question: ApprovalQuestion, time: ApprovalTime) -> ApprovalAnswer:
        self.connection.sendall(encode_waiting(time.seconds))
        return self.person.ask(question, time, partial(_is_open, self.connection))

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        return self.person.grant(wish, session)


def _is_open(connection: socket.socket) -> bool:
    """Return whether the other side still has the connection open, and so waits for an answer."""
    try:
        connection.settimeout(0)
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connection.settimeout(None)


def _bound(place: Path) -> socket.socket | None:
    """Return a socket that listens at a path, or None if another process listens there.

    Raise OSError if the socket cannot be opened, or if its directory is not private to this user.
    """
    make_directory(place.parent, mode=0o700)
    if not is_private(place.parent):
        raise PermissionError(f"{place.parent} is not a private directory of this user")
    listening = socket.socket(socket.AF_UNIX)
    try:
        if _is_live(place):
            listening.close()
            return None
        remove_file(place)
        listening.bind(os.fspath(place))
        place.chmod(0o600)
        listening.listen(_WAITING)
    except OSError:
        listening.close()
        raise
    return listening


def _is_live(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(os.fspath(place))
        except OSError:
            return False
    return True
