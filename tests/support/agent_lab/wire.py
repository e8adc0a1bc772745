"""The four wire formats between an agent host and its model: one reader and one writer for each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Any
Event = tuple[str | None, Json]
"""The name of a server-sent event or None, and its data."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the model makes; `arguments` is text for a tool of free form."""

    name: str
    arguments: Mapping[str, Json] | str

    def as_text(self) -> str:
        """Return the arguments as the model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


class Responses:
    """OpenAI's Responses, which Codex speaks."""

    ends = ("/responses",)

    def results(self, body: Json) -> list[str]:
        """Return the results of tools in a request, as text, in their order."""
        return [_text(item.get("output")) for item in _items(body) if _is_output(item)]

    def tools(self, body: Json) -> list[str]:
        """Return the names of the tools that a request offers; a namespace stands before `/`."""
        given = list(body.get("tools") or [])
        for item in _items(body):
            given += item.get("tools") or [] if item.get("type") == "additional_tools" else []
        return [name for tool in given for name in _names(tool)]

    def asked(self, body: Json) -> str:
        """Return what a person, or the agent above, has asked."""
        said = ("user", "agent_message")
        return json.dumps([i for i in _items(body) if {i.get("role"), i.get("type")} & set(said)])

    def answer(self, calls: Sequence[Call], number: int) -> Iterator[Event]:
        """Yield the events of an answer: these calls, or a last word."""
        items = [_response_item(call, number + place) for place, call in enumerate(calls)]
        if not items:
            content = [{"type": "output_text", "text": "Done.", "annotations": []}]
            of = {"type": "message", "role": "assistant", "id": f"msg_{number}"}
            items = [{**of, "status": "completed", "content": content}]
        head = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
        yield "response.created", {"type": "response.created", "response": head}
        for place, item in enumerate(items):
            for kind in ("response.output_item.added", "response.output_item.done"):
                yield kind, {"type": kind, "output_index": place, "item": item}
        usage = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        }
        done = {**head, "status": "completed", "output": items, "usage": usage}
        yield "response.completed", {"type": "response.completed", "response": done}


class Chat:
    """OpenAI's Chat Completions, which most hosts speak."""

    ends = ("/chat/completions",)

    def results(self, body: Json) -> list[str]:
        """Return the results of tools in a request, as text, in their order."""
        said = body.get("messages") or []
        return [_text(message.get("content")) for message in said if message.get("role") == "tool"]

    def tools(self, body: Json) -> list[str]:
        """Return the names of the tools that a request offers."""
        return [tool["function"]["name"] for tool in body.get("tools") or []]

    def asked(self, body: Json) -> str:
        """Return what a person, or the agent above, has asked."""
        return json.dumps([m for m in body.get("messages") or [] if m.get("role") == "user"])

    def answer(self, calls: Sequence[Call], number: int) -> Iterator[Event]:
        """Yield the events of an answer: these calls, or a last word."""
        base = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 0}
        made = [
            {
                "index": place,
                "id": f"call_{number + place}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.as_text()},
            }
            for place, call in enumerate(calls)
        ]
        said = {"content": None, "tool_calls": made} if made else {"content": "Done."}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        ending = "tool_calls" if made else "stop"
        for delta, finish, more in (
            ({"role": "assistant", **said}, None, {}),
            ({}, ending, {"usage": usage}),
        ):
            choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
            yield None, {**base, "model": "mock", "choices": choices, **more}
        yield None, "[DONE]"


class Messages:
    """Anthropic's Messages, which Claude Code speaks."""

    ends = ("/messages",)

    def results(self, body: Json) -> list[str]:
        """Return the results of tools in a request, as text, in their order."""
        return [_text(b.get("content")) for b in _blocks(body) if b.get("type") == "tool_result"]

    def tools(self, body: Json) -> list[str]:
        """Return the names of the tools that a request offers."""
        return [tool["name"] for tool in body.get("tools") or []]

    def asked(self, body: Json) -> str:
        """Return what a person, or the agent above, has asked."""
        said = [m for m in body.get("messages") or [] if m.get("role") == "user"]
        return json.dumps(
            [m["content"] for m in said if isinstance(m["content"], str)]
            + [b for m in said for b in _blocks({"messages": [m]}) if b.get("type") == "text"]
        )

    def answer(self, calls: Sequence[Call], number: int) -> Iterator[Event]:
        """Yield the events of an answer: these calls, or a last word."""
        usage = {"input_tokens": 10, "output_tokens": 1}
        head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "mock"}
        rest = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield "message_start", {"type": "message_start", "message": {**head, **rest}}
        blocks: list[tuple[Json, Json]] = [
            (
                {"type": "tool_use", "id": f"toolu_{number + at}", "name": call.name, "input": {}},
                {"type": "input_json_delta", "partial_json": call.as_text()},
            )
            for at, call in enumerate(calls)
        ] or [({"type": "text", "text": ""}, {"type": "text_delta", "text": "Done."})]
        for at, (block, delta) in enumerate(blocks):
            for kind, more in (
                ("content_block_start", {"content_block": block}),
                ("content_block_delta", {"delta": delta}),
                ("content_block_stop", {}),
            ):
                yield kind, {"type": kind, "index": at, **more}
        ending = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": ending, "usage": usage}
        yield "message_stop", {"type": "message_stop"}


class Gemini:
    """Google's generateContent, which Gemini CLI speaks."""

    ends = (":streamGenerateContent", ":generateContent")

    def results(self, body: Json) -> list[str]:
        """Return the results of tools in a request, as text, in their order."""
        found = [part["functionResponse"] for part in _parts(body) if "functionResponse" in part]
        return [_text(result.get("response")) for result in found]

    def tools(self, body: Json) -> list[str]:
        """Return the names of the tools that a request offers."""
        given = body.get("tools") or []
        return [f["name"] for tool in given for f in tool.get("functionDeclarations") or []]

    def asked(self, body: Json) -> str:
        """Return what a person, or the agent above, has asked."""
        return json.dumps([part["text"] for part in _parts(body, "user") if "text" in part])

    def answer(self, calls: Sequence[Call], number: int) -> Iterator[Event]:
        """Yield the one object of an answer: these calls, or a last word."""
        _ = number
        parts = [{"functionCall": {"name": c.name, "args": c.arguments}} for c in calls]
        content = {"role": "model", "parts": parts or [{"text": "Done."}]}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"index": 0, "finishReason": "STOP", "content": content}
        yield None, {"candidates": [candidate], "usageMetadata": usage}


Wire = Responses | Chat | Messages | Gemini
WIRES: tuple[Wire, ...] = (Responses(), Chat(), Messages(), Gemini())


def wire_of(path: str) -> Wire | None:
    """Return the format that is spoken at a path, or None."""
    return next((wire for wire in WIRES if path.endswith(wire.ends)), None)


def _items(body: Json) -> list[Json]:
    given = body.get("input")
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def _is_output(item: Json) -> bool:
    return str(item.get("type", "")).endswith("_call_output")


def _names(tool: Json) -> Iterator[str]:
    if tool.get("type") == "namespace":
        yield from (f"{tool['name']}/{inner['name']}" for inner in tool.get("tools") or [])
    else:
        yield str(tool.get("name") or tool.get("type"))


def _response_item(call: Call, number: int) -> Json:
    free = isinstance(call.arguments, str)
    space, _, name = call.name.rpartition("/")
    return {
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "status": "completed",
        "type": "custom_tool_call" if free else "function_call",
        "input" if free else "arguments": call.as_text(),
        **({"namespace": space} if space else {}),
    }


def _blocks(body: Json) -> list[Json]:
    lists = [message.get("content") for message in body.get("messages") or []]
    return [block for blocks in lists if isinstance(blocks, list) for block in blocks]


def _parts(body: Json, role: str | None = None) -> list[Json]:
    said = [c for c in body.get("contents") or [] if role in (None, c.get("role"))]
    return [part for content in said for part in content.get("parts") or []]


def _text(value: Json) -> str:
    """Return a result as text, whatever shape it has."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return json.dumps(value, ensure_ascii=False)
