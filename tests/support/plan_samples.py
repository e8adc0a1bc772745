"""Small plans in the forms that spec-kit, OpenSpec, Kiro and trackers write them today."""

SPEC = """\
# Feature Specification: Borrow a book

**Feature Branch**: `004-borrow-book`

**Created**: 2026-03-01

**Status**: Draft

**Input**: User description: "readers borrow books"

## User Scenarios & Testing *(mandatory)*

### User Story 1 - Borrow (Priority: P1)

A reader takes a book home.

**Acceptance Scenarios**:

1. **Given** a book on the shelf, **When** it is scanned, **Then** it is lent

## Requirements *(mandatory)*

<!-- - **FR-000**: only an example -->

### Functional Requirements

- **FR-001**: The library MUST lend a book
  to one reader at a time
- **FR-002**: [specific capability]
- **FR-003:** Readers MUST see **due dates** ([NEEDS CLARIFICATION: in which zone?])

## Success Criteria *(mandatory)*

### Measurable Outcomes

- **SC-001**: A loan takes under 10 seconds
"""

PLAN = """\
# Implementation Plan: Borrow a book

**Branch**: `004-borrow-book` | **Date**: 2026-03-02 | **Spec**: [spec.md](./spec.md)

## Technical Context

**Language/Version**: Python 3.13
**Storage**: N/A
**Constraints**: offline for a day, no new service
**Scale/Scope**: one library

## Project Structure

```text
src/
└── loans/
```

**Structure Decision**: the loans live in `src/loans/`
"""

TASKS = """\
---
description: "Tasks of a feature"
---

# Tasks: Borrow a book

## Path Conventions

- **Single project**: `src/`, `tests/` at repository root

## Phase 1: Setup

- [x] T001 Create src/loans/__init__.py

## Phase 2: User Story 1

- [ ] T002 [P] [US1] Write the test in tests/loans/test_borrow.py
- [ ] T003 [US1] Implement lending in src/loans/borrow.py (see src/readers/reader.py)
"""

FEATURE = {"spec.md": SPEC, "plan.md": PLAN, "tasks.md": TASKS}

PROPOSAL = """\
## Why

Readers forget due dates.

## What Changes

- A reminder is sent, from `src/mail/reminder.py`

## Impact

- Affected code: `src/mail/`
"""

DESIGN = """\
## Context

Mail goes out once a day.

## Goals / Non-Goals

**Goals:**
- Fewer late books

**Non-Goals:**
- Text messages
- A new queue

## Decisions

- One job
"""

CHANGE_TASKS = """\
## 1. Mail

- [x] 1.1 Add `src/mail/reminder.py`
- [ ] 1.2 Test it in `tests/mail/test_reminder.py`
"""

DELTA = """\
## ADDED Requirements

### Requirement: Reminder
The system SHALL remind a reader
two days before the due date.

#### Scenario: Due soon
- **WHEN** a book is due in two days
- **THEN** a mail is sent

## REMOVED Requirements

### Requirement: Paper letters
**Reason**: nobody reads them

## RENAMED Requirements

- FROM: `### Requirement: Late fee`
- TO: `### Requirement: Overdue fee`
"""

CHANGE = {
    "proposal.md": PROPOSAL,
    "design.md": DESIGN,
    "tasks.md": CHANGE_TASKS,
    ".openspec.yaml": "schema: spec-driven\ncreated: 2026-04-05\n",
    "specs/mail/spec.md": DELTA,
}

REQUIREMENTS = """\
# Requirements Document

## Introduction

Readers reserve books.

## Requirements

### Requirement 1: Reserve

**User Story:** As a reader, I want to reserve a book, so that I get it next.

#### Acceptance Criteria

1. WHEN a reader reserves a book THEN the system SHALL put the reader in its queue
2. IF the book is on the shelf THEN the system SHALL:
   - offer to lend it
3. The queue is shown

### Requirement 2

#### Acceptance Criteria

1. WHILE a queue exists, THE system SHALL refuse to extend a loan
"""

KIRO_DESIGN = """\
# Design Document

## Components

- `src/queue/queue.py` holds the queue
"""

KIRO_TASKS = """\
# Implementation Plan

- [x] 1. Make the queue
  - [x] 1.1 Write the model
    - Create `src/queue/model.py`
    - _Requirements: 1.1, 1.2_
  - [ ]* 1.2 Test it by properties in `tests/queue/test_model.py`
- [-] 2. Show the queue in `src/web/queue.ts`
  - _Requirements: 1.3_
"""

KIRO = {"requirements.md": REQUIREMENTS, "design.md": KIRO_DESIGN, "tasks.md": KIRO_TASKS}

BUGFIX = """\
# Bugfix Requirements Document

## Bug Analysis

### Current Behavior (Defect)

1.1 WHEN a loan ends on a holiday THEN the fee is charged

### Expected Behavior (Correct)

2.1 WHEN a loan ends on a holiday THEN the system SHALL charge no fee

### Unchanged Behavior (Regression Prevention)

3.1 WHEN a loan ends on a weekday THEN the system SHALL CONTINUE TO charge the fee
"""

JIRA = (
    "Summary,Issue key,Issue id,Issue Type,Status,Status Category,Resolution,Labels,Labels,"
    "Description,Custom field (Acceptance Criteria)\r\n"
    'Lend books,LIB-1,10001,Story,In Progress,In Progress,,a,b,"In src/loans/borrow.py\r\n'
    'and ""more""","- one reader at a time\r\n- a due date"\r\n'
    "Drop letters,LIB-2,10002,Task,Done,Done,Won't Do,,,,\r\n"
    "Tidy up,LIB-3,10003,Task,Waiting for Godot,To Do,,,,,\r\n"
)

LINEAR = (
    '\ufeff"ID","Team","Title","Description","Status","Estimate","Priority","Project ID",'
    '"Project","Creator","Assignee","Labels","Cycle Number","Cycle Name","Created","UUID"\n'
    '"LIB-7","Library","\'=Queue","# Acceptance criteria\n\n- [ ] first come","Todo","","High",'
    '"","","","","","","","2026-05-06T07:08:09.000Z","3f1e"\n'
    '"LIB-8","Library","Old","","Canceled","","","","","","","","","","",""\n'
)

AZURE = (
    "ID,Work Item Type,Title,Assigned To,State,Tags,Acceptance Criteria\n"
    '"272","Issue","Fix the scanner",,"Active","a; b","<div>It beeps</div><div>Once</div>"\n'
    '"273","Issue","Sort the shelf",,"Removed","",""\n'
)

GITHUB_PROJECT = (
    "Title\tURL\tAssignees\tStatus\tLabels\n"
    "Lend\thttps://github.com/library/app/issues/12\tann\t\U0001f3d7 In progress\tbug\n"
    "Read\thttps://github.com/library/web/issues/12\t\tDone\t\n"
    "Only a note\t\t\tTodo\t\n"
)

GITHUB_ISSUES = (
    "number,title,state,stateReason,url\n"
    "3,Lend,OPEN,,https://github.com/library/app/issues/3\n"
    "4,Fly,CLOSED,NOT_PLANNED,https://github.com/library/app/issues/4\n"
    "5,Read,CLOSED,COMPLETED,https://github.com/library/app/issues/5\n"
)

GITLAB = (
    "Title,Description,Issue ID,URL,State,Author\n"
    "Lend,,8,https://gitlab.com/library/group/app/-/issues/8,Open,ann\n"
)
