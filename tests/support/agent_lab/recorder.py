"""The hook command of a recording: it keeps what the host sends, and answers nothing.

It is started as a program: `recorder.py DIRECTORY EVENT`, with the payload on standard input.
"""

import json
import os
import sys
import time
from pathlib import Path


def main(directory: str, event: str) -> None:
    """Write one file: the event, the payload and the names of the environment's variables."""
    raw = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        payload = json.loads(raw)
    except ValueError:
        payload = {"no_json": raw}
    kept = {"event": event, "payload": payload, "environment": dict(os.environ)}
    final = Path(directory) / f"{time.time_ns()}-{os.getpid()}.json"
    final.with_suffix(".part").write_text(json.dumps(kept), encoding="utf-8")
    final.with_suffix(".part").rename(final)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
