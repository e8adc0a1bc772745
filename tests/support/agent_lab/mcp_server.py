"""A tiny MCP server over standard input and output, with one tool `echo`; a program of its own."""

import json
import sys

_TOOL = {
    "name": "echo",
    "description": "Return the text that it is given.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}


def answer(method: str, params: dict[str, object]) -> dict[str, object]:
    """Return the result of one request; an unknown method has an empty one."""
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "lab", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [_TOOL]}
    if method == "tools/call":
        arguments = params.get("arguments")
        text = arguments.get("text", "") if isinstance(arguments, dict) else ""
        return {"content": [{"type": "text", "text": f"echo: {text}"}]}
    return {}


def main() -> None:
    """Answer each line until the end of the input; a notification has no answer."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = answer(message["method"], message.get("params") or {})
            sent = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            sys.stdout.write(json.dumps(sent) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
