"""A scripted model: it answers each request with the next tool calls of a list, and keeps them all.

It runs in the test's own process, so that a turn can be a function of the request before it.
"""

import dataclasses
import json
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.agent_lab.wire import Call, Json, Wire, wire_of

SUBTASK = "SUBTASK: do what the script says"
"""What the agent asks a sub-agent; a request in which it stands is answered by the other script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request of a host: what its tools said, which tools it offers, what it was answered.

    `agent` is `main`, `sub`, or `host` for what the host asks for itself. `results` are only those
    of this run, not of a resumed one.
    """

    path: str
    body: Json
    agent: str
    results: Sequence[str]
    tools: Sequence[str]
    calls: Sequence[Call] = ()

    def tool(self, ending: str) -> str:
        """Return the name of the first offered tool that ends so."""
        found = next((name for name in self.tools if name.endswith(ending)), None)
        if found is None:
            raise LookupError(f"no tool ends in {ending}: {', '.join(self.tools)}")
        return found

    def text(self) -> str:
        """Return the whole request as text."""
        return json.dumps(self.body, ensure_ascii=False)


Turn = Sequence[Call] | Callable[[ModelRequest], Sequence[Call]]
Script = Sequence[Turn]


@dataclass(slots=True)
class _Conversation:
    """How far one agent has come: the calls of its answered turns."""

    script: Script
    before: int | None = None
    answered: list[Sequence[Call]] = field(default_factory=list)

    def turn(self, done: int) -> int:
        """Return the number of the turn that follows `done` results of tools."""
        for number, calls in enumerate(self.answered):
            if done <= 0:
                return number
            done -= len(calls)
        return len(self.answered)

    def next_calls(self, request: ModelRequest) -> Sequence[Call]:
        """Return the calls that follow; a request that is sent again is answered as before."""
        number = self.turn(len(request.results))
        if number < len(self.answered):
            return self.answered[number]
        if number >= len(self.script):
            return ()
        turn = self.script[number]
        calls = turn(request) if callable(turn) else turn
        if calls:
            self.answered.append(calls)
        return calls


class ScriptedModel:
    """The model of one run of a host: `main` is its script, `sub` that of its sub-agents."""

    def __init__(self, main: Script, sub: Script = ()) -> None:
        self.requests: list[ModelRequest] = []
        self.errors: list[str] = []
        self.prompt = ""
        """What the run asks; a request without it is one that the host makes for itself."""
        self._conversations = {
            "main": _Conversation(main),
            "sub": _Conversation(sub),
            "host": _Conversation(()),
        }
        self._lock = threading.Lock()

    def serve(self, listening: socket.socket) -> ThreadingHTTPServer:
        """Answer on a socket that listens already, in a thread, until `shutdown`."""
        model = self

        class Handler(_Handler):
            def reply(self, path: str, body: Json) -> None:
                model.reply(self, path, body)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        server.socket.close()
        server.socket = listening
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return server

    def seen_after(self, turn: int, agent: str = "main") -> str:
        """Return the results of tools in the request after `turn` turns, as one text."""
        calls = [len(calls) for calls in self._conversations[agent].answered[:turn]]
        for request in self.requests:
            if request.agent == agent and request.tools and len(request.results) == sum(calls):
                return "\n".join(request.results[sum(calls[:-1]) :])
        raise LookupError(f"no request after {turn} turns: {self.errors}")

    def reply(self, handler: "_Handler", path: str, body: Json) -> None:
        """Answer one request and keep it."""
        wire = wire_of(path)
        if wire is None:
            handler.send_json({"totalTokens": 10, "input_tokens": 10, "data": [], "models": []})
            return
        request = self.answer(wire, path, body)
        # Ids of calls are never used twice in a conversation, resumed or not.
        number = len(wire.results(body)) + (100 if request.agent == "sub" else 0)
        events = list(wire.answer(request.calls, number))
        if body.get("stream", "stream" in path.lower()):
            handler.send_events(events)
        else:
            handler.send_json(events[0][1])

    def answer(self, wire: Wire, path: str, body: Json) -> ModelRequest:
        """Return a request with the calls that answer it, and keep it."""
        with self._lock:
            request = self._read(wire, path, body)
            request = dataclasses.replace(request, calls=self._calls(request))
            self.requests.append(request)
        return request

    def _read(self, wire: Wire, path: str, body: Json) -> ModelRequest:
        asked = wire.asked(body)
        agent = "sub" if SUBTASK in asked else "main" if self.prompt in asked else "host"
        results, tools = wire.results(body), wire.tools(body)
        talk = self._conversations[agent]
        if talk.before is None and tools:
            talk.before = len(results)
        results = results[talk.before or 0 :]
        return ModelRequest(path=path, body=body, agent=agent, results=results, tools=tools)

    def _calls(self, request: ModelRequest) -> Sequence[Call]:
        if not request.tools:
            # A title or a summary: no tools are offered, and plain text is wanted.
            return ()
        try:
            return self._conversations[request.agent].next_calls(request)
        except Exception as error:  # noqa: BLE001 - a script's mistake ends the run, not the thread
            self.errors.append(repr(error))
            return ()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, path: str, body: Json) -> None:
        raise NotImplementedError

    def do_GET(self) -> None:
        self.send_json({"object": "list", "data": [{"id": "mock", "object": "model"}]})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        self.reply(self.path.split("?")[0], body)

    def send_events(self, events: Sequence[tuple[str | None, Json]]) -> None:
        lines = []
        for name, value in events:
            text = value if isinstance(value, str) else json.dumps(value)
            lines.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
        self._send("".join(lines).encode(), "text/event-stream")

    def send_json(self, value: Json) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is declared
        pass
