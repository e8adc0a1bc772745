"""Small intents files in each form that the file may have, each of which parses."""

from typing import Final

_TEXTS: Final = """\
active_intents:
  - id: INT-001
    name: x
    status: PLANNED
    owned_scope:
      - src/**
=====
active_intents:
  - id: INT-001
    owned_scope:
    - src/**
    - docs/**
  - id: B
    owned_scope: [x/**]
=====
active_intents:
- id: A
  name: x
  owned_scope: [src/**]
- id: B
  owned_scope:
  - a/**
=====
intents:
  - id: A
    owned_scope: [src/**]
=====
intents:
  A:
    name: x
    owned_scope: [src/**]
  B:
    owned_scope:
      - d/**
=====
active_intents:
  A:
    name: x
    owned_scope: [src/**]
=====
A:
  name: x
  owned_scope: [src/**]
B:
  owned_scope: [docs/**]
=====
- id: A
  owned_scope: [src/**]
- id: B
  owned_scope:
    - d/**
=====
{"a": {"owned_scope": ["src/**"]}}
=====
{"active_intents": [{"id": "A", "owned_scope": ["src/**"]}]}
=====
[{"id": "A", "owned_scope": ["src/**"]}]
=====
{
  "active_intents": [
    {
      "id": "A",
      "name": "x",
      "owned_scope": [
        "src/**",
        "d/**"
      ]
    },
    {"id": "B", "owned_scope": []}
  ]
}
=====
{
"A": {
"owned_scope": ["src/**"]
},
"B": {"name": "x"}
}
=====
active_intents:
  - id: INT-001
    name: 'a

      b'
    status: PLANNED
=====
active_intents:
  - id: INT-001
    name: "a
    b"
=====
active_intents:
  - id: INT-001
    name: >
      a

      b
    status: PLANNED
=====
active_intents:
  - id: INT-001
    name: a
      b
=====
active_intents:
  - id: INT-001
    owned_scope: [
    src/**,
    docs/**
    ]
    name: x
=====
active_intents:
  - id: INT-001
    owned_scope: [
      src/**,

      docs/**,
    ]
  - id: B
=====
active_intents: [{id: A, name: x,
  owned_scope: [src/**]}, {id: B}]
=====
active_intents:
  - {id: A, owned_scope: [src/login.py]}
  - {id: B, name: x y}
=====
active_intents:
  - id: INT-001
    owned_scope: &s [src/**]
    status: &p PLANNED
  - id: B
    owned_scope: *s
    status: *p
=====
active_intents:
  - id: INT-001
    owned_scope:
      - &g src/a.py
      - !!str d/**
      - '!src/x'
    name: !!str x
=====
# c
---
active_intents:
  # c
  - id: A # c
    # c
    status: # c
      PLANNED
=====
---
- id: A
  name: x
=====
active_intents:
  -
    id: A
    name: x
  - # c
    id: B
=====
active_intents:
  -   id: A
      name: x
=====
active_intents: !!seq
  - !!map
    id: A
  - &b
    id: B
=====
active_intents:
  - id: INT-001
    scope:
      paths:
        - src/**
    constraints:
      - a b
      - 'c
        d'
    related_files: [src/login.py, a b/c.py]
=====
active_intent: X
=====
active_intent: X
active_intents:
  - id: A
=====
version: 1
=====
active_intents: []
=====
active_intents:
=====
active_intents: {}
=====
active_intents:
  ? id
  : name: x
=====
"active_intents":
  - "id": A
    "name": "x"
=====
active_intent:
  owned_scope: [a]
=====
A: {owned_scope: [a/**]}
B: {name: x}
=====
A: &a
  owned_scope: [a/**]
B: *a
=====
active_intents:
  - id: A
    owned_scope: [src/**]
...
=====
active_intents:
  - id: A
    name: x
    updated_at: 2026-01-01
    aliases:
      [b, c]
    specification_id: R-1
=====
active_intents: [
{"id": "A",
"name": "x"},
{"id": "B"}
]
=====
- {
  id: A
  }
- {id: B}
=====
active_intents:
  - id: INT-001
    name: >-
      a: b
      c
"""
DIALECTS: Final = (
    *_TEXTS.split("=====\n"),
    "\ufeffactive_intents:\n  - id: A\n    name: x\n",
    "\ufeff- id: A\n  name: x\n- id: B\n",
    "active_intents:\r\n  - id: A\r\n    owned_scope:\r\n      - src/**\r\n",
    "",
)
"""The texts: lists and mappings, block and flow form, anchors, tags, comments and long texts."""
