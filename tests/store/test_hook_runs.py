"""A program that is asked over lines of JSON."""

import sys
from pathlib import Path

from intent_lsp.store.hook_runs import ask_program

REQUESTS = ({"id": 1, "method": "a"}, {"method": "b"}, {"id": 2, "method": "c"})
ANSWERS = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "id" in said:
        print("chatter")
        print(json.dumps({"id": said["id"], "result": said["method"]}), flush=True)
"""
ENDS = """
import json, sys
print(json.dumps({"id": json.loads(sys.stdin.readline())["id"], "result": "a"}), flush=True)
"""


def test_the_answer_to_the_last_request_is_returned(tmp_path: Path) -> None:
    answer = ask_program([sys.executable, "-c", ANSWERS], tmp_path, REQUESTS, 30.0)
    assert answer == {"id": 2, "result": "c"}


def test_a_program_that_ends_early_has_not_answered(tmp_path: Path) -> None:
    many = (REQUESTS[0], *(REQUESTS[1] for _ in range(20_000)), REQUESTS[2])
    assert ask_program([sys.executable, "-c", ENDS], tmp_path, many, 30.0) is None
    assert ask_program(["a program that is not there"], tmp_path, REQUESTS, 30.0) is None
