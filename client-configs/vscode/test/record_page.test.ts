import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, recordPage } from '../src/record_page';
import { RECORD } from './samples';

test('a page has hashes, ranges and the place in the chain', () => {
  const page = recordPage(RECORD, ['GAP'], 'abc');
  for (const text of [
    RECORD.id,
    'Lines 3–5 (replaces 2 lines)',
    'Lines whole file, 1–9',
    'Renamed from',
    'was.py',
    'there is no file',
    'none (it is the first)',
    'sha256:ff',
    'INTENT_EVOLUTION (inferred)',
    'GAP',
  ]) {
    assert.ok(page.includes(text), text);
  }
});

test('a record of an older tool has a page, too', () => {
  const { integrity: _, ...old } = RECORD;
  const bare = {
    id: old.id,
    timestamp: old.timestamp,
    intent_id: null,
    scope_validation: 'FAIL',
    success: false,
    files: [{ relative_path: 'x', pre_hash: null, post_hash: 'sha256:aa' }],
  };
  const page = recordPage(bare, [], 'abc');
  assert.ok(page.includes('written by an older tool'));
  assert.ok(page.includes('the call failed'));
  assert.ok(page.includes('there was no file'));
});

test('a page runs nothing and loads nothing', () => {
  const page = recordPage(RECORD, [], 'abc');
  assert.ok(page.includes("default-src 'none'; style-src 'nonce-abc'"));
  assert.doesNotMatch(page, /<script|<img|<link|href|src=|url\(/u);
});

test('text from a record is never markup', () => {
  const evil = '"><script>alert(1)</script>\'&';
  const hostile = {
    ...RECORD,
    id: evil,
    intent_id: evil,
    tool_name: evil,
    scope_validation: evil,
    files: [{ ...RECORD.files[0]!, relative_path: evil, pre_hash: evil }],
  };
  const page = recordPage(hostile, [evil], 'abc');
  assert.ok(!page.includes('<script'));
  assert.ok(!page.includes('"><'.repeat(1) + 'script'));
  assert.equal(escapeHtml(evil), '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;');
});
