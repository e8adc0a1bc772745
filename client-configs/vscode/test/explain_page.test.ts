import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPage } from '../src/explain_page';
import { Explanation } from '../src/protocol';

const ROW = { row: 7, code: null, label: 'Inside the workspace', fact: 'It is.' };
const FAILING = { ...ROW, label: "In the intent's scope", fact: 'word '.repeat(60) };

function page(allowed: boolean, reason?: string): string[] {
  const rows = [
    { ...ROW, outcome: 'skipped', label: 'Not asked' },
    { ...ROW, outcome: 'pass' },
    { ...FAILING, outcome: 'fail' },
  ] as const;
  const decision = reason === undefined ? { allowed } : { allowed, reason };
  const explanation: Explanation = { rows, decision };
  return explainPage('src/a.py', explanation).split('\n');
}

test('the answer comes first, then the rows that failed, then the others', () => {
  const lines = page(false, 'a.py is outside the scope of INT-001 (Login).');
  assert.equal(lines[0], 'src/a.py may not be edited.');
  assert.equal(lines[2], 'a.py is outside the scope of INT-001 (Login).');
  const signed = lines.filter((line) => /^[✗✓–] /u.test(line));
  const expected = ["✗ In the intent's scope", '✓ Inside the workspace', '– Not asked'];
  assert.deepEqual(signed, expected);
  assert.equal(page(true)[0], 'src/a.py may be edited.');
});

test('no line is longer than an editor shows, and no word is lost', () => {
  const lines = page(false);
  assert.ok(lines.every((line) => line.length <= 88));
  assert.equal(lines.join(' ').match(/word/gu)?.length, 60);
});
