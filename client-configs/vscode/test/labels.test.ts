import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ageText,
  blameLabel,
  contributorText,
  isOpen,
  recordDescription,
  recordTitle,
  statusLabel,
  timeText,
  verificationLabel,
} from '../src/labels';
import { BlameRun } from '../src/protocol';
import { INTENT, NOW, RECORD, STATUS } from './samples';

const RUN: BlameRun = {
  startLine: 1,
  endLine: 1,
  recordId: 'r',
  intentId: 'INT-001',
  entityType: 'AI',
  modelIdentifier: '$(x)',
  author: null,
  isYou: false,
  timestamp: RECORD.timestamp,
  toolName: 'Write',
  confidence: 'exact',
};

test('there is no label where no root governs', () => {
  assert.equal(statusLabel({ ...STATUS, root: null }, []), undefined);
});

test('the status bar shows the active intent with its name', () => {
  const label = statusLabel({ ...STATUS, activeIntentId: 'INT-001' }, [INTENT]);
  assert.equal(label?.text, '$(target) INT-001 Login');
  assert.match(label.tooltip, /Saves: warn · records: 3 · \/work/u);
});

test('the status bar shows that no intent is active, and why none can be', () => {
  assert.equal(statusLabel(STATUS, [INTENT])?.text, '$(circle-slash) No intent');
  const off = { ...STATUS, enabled: false, fileState: 'broken', reason: 'line 3: a tab' } as const;
  const broken = statusLabel(off, []);
  assert.equal(broken?.text, '$(warning) Intents off');
  assert.equal(broken.warns, true);
  assert.match(broken.tooltip, /^line 3: a tab/u);
});

test('the status bar shows the intent also while it cannot be saved to disk', () => {
  const unsaved = { ...STATUS, fileState: 'unavailable', reason: 'disk full' } as const;
  const label = statusLabel({ ...unsaved, activeIntentId: 'INT-001' }, [INTENT]);
  assert.equal(label?.text, '$(target) INT-001 Login');
  assert.equal(label.warns, true);
  assert.match(label.tooltip, /^The selected intent cannot be saved to disk: disk full\n/u);
});

test('the status bar warns of agent hosts that did not ask', () => {
  for (const activeIntentId of ['INT-001', null]) {
    const label = statusLabel({ ...STATUS, activeIntentId, blindHosts: ['Codex'] }, [INTENT]);
    assert.equal(label?.warns, true);
    assert.match(label.tooltip, /^Codex did not ask intent-lsp while files changed: see Problems\n/u);
  }
});

test('a name cannot draw icons, break the line or fill the status bar', () => {
  const labelText = (name: string): string | undefined =>
    statusLabel({ ...STATUS, activeIntentId: 'INT-001' }, [{ ...INTENT, name }])?.text;
  assert.equal(labelText('$(check)\nok'), '$(target) INT-001 $ (check) ok');
  const long = labelText('🙂'.repeat(99)) ?? '';
  assert.equal([...long].length, '$(target) '.length + 32);
  assert.ok(long.endsWith('🙂…'));
});

test('an age is given in the largest unit that has passed', () => {
  const ages: readonly (readonly [number, string])[] = [
    [-5, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [7199, '1 hour ago'],
    [7200, '2 hours ago'],
    [86_400, '1 day ago'],
    [86_400 * 45, '1 month ago'],
    [86_400 * 800, '2 years ago'],
  ];
  for (const [seconds, expected] of ages) {
    assert.equal(ageText(new Date(NOW - seconds * 1000).toISOString(), NOW), expected);
  }
  assert.equal(ageText('yesterday', NOW), 'some time ago');
});

test('a record is described by its files, its intent, its verdict and its author', () => {
  assert.equal(recordTitle(RECORD), 'login.py +1');
  assert.equal(recordTitle({ ...RECORD, files: [] }), '(no file)');
  const grant = { ...RECORD, files: [], grant: { patterns: ['docs/**', 'a.md'] } };
  assert.equal(recordTitle(grant), 'scope: docs/**, a.md');
  assert.equal(recordDescription(RECORD), 'INT-001 · in scope · a person');
  assert.equal(recordDescription(RECORD, 'Login', 'Ada'), 'Login · in scope · Ada');
  const failed = { ...RECORD, success: false, intent_id: null };
  assert.equal(recordDescription(failed, 'Login'), 'no intent · in scope · failed · a person');
  const odd = { ...RECORD, scope_validation: 'ODD' };
  assert.equal(recordDescription(odd, ''), 'INT-001 · ODD · a person');
});

test('a record of today has its time, an older one its day, too', () => {
  const of = (days: number): string =>
    timeText(new Date(NOW - days * 86_400_000).toISOString(), NOW);
  const time = of(0);
  assert.match(time, /^\d\d?:\d\d/u);
  assert.match(of(3), /\D*19\D* .*\d:\d\d/u);
  assert.doesNotMatch(of(3), /2026/u);
  assert.match(of(400), /2025/u);
  assert.ok(of(3).endsWith(time));
  assert.equal(timeText('yesterday', NOW), '?');
});

test('contributors of every kind have a text', () => {
  const of = (entity_type: string, model_identifier?: string): string => {
    const model = model_identifier === undefined ? {} : { model_identifier };
    const [file] = RECORD.files;
    const conversations = [{ contributor: { entity_type, ...model }, ranges: [] }];
    return contributorText({ ...RECORD, files: [{ ...file!, conversations }] });
  };
  assert.equal(of('AI', 'model-x'), 'model-x');
  assert.equal(of('AI'), 'an agent');
  assert.equal(of('MIXED', 'model-x'), 'model-x and a person');
  assert.equal(of('HUMAN', 'ada'), 'ada');
  assert.equal(of('ROBOT'), 'unknown');
  assert.equal(contributorText({ ...RECORD, files: [] }), 'unknown');
});

test('only lines with a record have a blame label', () => {
  assert.equal(blameLabel(RUN, NOW), '$(git-commit) INT-001, $ (x), 2 minutes ago');
  assert.match(blameLabel(RUN, NOW, 'Login') ?? '', /^\$\(git-commit\) Login, /u);
  assert.match(blameLabel({ ...RUN, intentId: null }, NOW) ?? '', /no intent/u);
  assert.equal(blameLabel({ ...RUN, recordId: null }, NOW), undefined);
});

test('a blame label names people as far as they are known', () => {
  const label = (changes: Partial<BlameRun>): string | undefined =>
    blameLabel({ ...RUN, entityType: 'HUMAN', modelIdentifier: 'human', ...changes }, NOW);
  assert.match(label({}) ?? '', /, a person, /u);
  assert.match(label({ isYou: true }) ?? '', /, you, /u);
  assert.match(label({ author: 'Ada $(x)' }) ?? '', /, Ada \$ \(x\), /u);
  const mixed = { entityType: 'MIXED', modelIdentifier: 'model-x' };
  assert.match(label({ ...mixed, author: 'Ada' }) ?? '', /, model-x and Ada, /u);
  assert.match(label({ ...mixed, isYou: true }) ?? '', /, model-x and you, /u);
});

test('the label of a verification counts records and problems', () => {
  const found = { ok: true, records: 1, problems: [], proved: '', conditional: '' };
  assert.equal(verificationLabel(found), '✓ verified · 1 record');
  const problem = { code: 'X', severity: 'error', file: 'f', line: 1, message: 'm' };
  const broken = { ...found, ok: false, records: 2, problems: [problem] };
  assert.equal(verificationLabel(broken), '✗ 1 problem · 2 records');
});

test('a closed or ignored intent cannot be selected', () => {
  assert.ok(isOpen(INTENT));
  assert.ok(!isOpen({ ...INTENT, status: 'COMPLETED' }));
  assert.ok(!isOpen({ ...INTENT, flags: ['INTENT_IGNORED'] }));
});
