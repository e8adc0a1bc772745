import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globsOf } from '../src/globs';
import { Launch } from '../src/launch';
import { complaint, WAYS } from '../src/missing_words';
import { said } from '../src/said';
import { toldOf } from '../src/settings';

const launch: Launch = { argv: ['/x/intent-lsp', 'serve'], source: 'path' };

test('the server is told its own settings alone', () => {
  const section = {
    enabled: true,
    hover: false,
    exclude: ['a'],
    severity: null,
    server: { command: ['x'] },
    trace: { server: 'off' },
  };
  assert.deepEqual(toldOf(section), { enabled: true, hover: false, exclude: ['a'] });
  for (const nothing of [null, undefined, 'x', 3]) {
    assert.deepEqual(toldOf(nothing), {});
  }
});

test('every trouble has words and a way out; what goes well has none', () => {
  const missing = { kind: 'missing', missing: { looked: [] } } as const;
  assert.match(complaint(missing, true)?.text ?? '', /was not found/u);
  assert.equal(complaint(missing, true)?.ways[0], WAYS.install);
  const untrusted = complaint(missing, false);
  assert.deepEqual(untrusted?.ways.slice(0, 2), [WAYS.install, WAYS.trust]);
  assert.match(untrusted.text, /not trusted/u);
  const named = { kind: 'missing', missing: { looked: [], named: '/gone' } } as const;
  assert.ok(!complaint(named, true)?.ways.includes(WAYS.install));
  assert.match(complaint(named, true)?.text ?? '', /\/gone, the program in intentLsp\.server\.command/u);
  const foreign = { kind: 'foreign', launch, version: '0.0.1' } as const;
  assert.match(complaint(foreign, true)?.text ?? '', /\/x\/intent-lsp \(version 0\.0\.1\)/u);
  const failed = { kind: 'failed', launch, reason: 'it keeps exiting' } as const;
  assert.equal(complaint(failed, true)?.ways[0], WAYS.restart);
  assert.deepEqual(complaint({ kind: 'off' }, true)?.ways, [WAYS.settings]);
  assert.equal(complaint({ kind: 'starting' }, true), undefined);
  assert.equal(complaint({ kind: 'running', launch, version: '1' }, true), undefined);
});

test('what the extension has installed itself is renewed by a click', () => {
  const older = { kind: 'missing', missing: { looked: [], others: ['0.0.9'] } } as const;
  assert.equal(complaint(older, true)?.ways[0], WAYS.renew);
  assert.match(complaint(older, true)?.text ?? '', /version 0\.0\.9/u);
  const own: Launch = { ...launch, source: 'extension' };
  for (const standing of [
    { kind: 'foreign', launch: own, version: '0.0.1' },
    { kind: 'failed', launch: own, reason: 'it keeps exiting' },
  ] as const) {
    assert.equal(complaint(standing, true)?.ways[0], WAYS.renew);
    assert.ok(!complaint({ ...standing, launch }, true)?.ways.includes(WAYS.renew));
  }
});

test('globs are split at commas that do not belong to them', () => {
  assert.deepEqual(globsOf('src/**, docs/*.md ,'), ['src/**', 'docs/*.md']);
  assert.deepEqual(globsOf('src/{a,b}/**,x'), ['src/{a,b}/**', 'x']);
  assert.deepEqual(globsOf('[a,b], @(c,d), }e'), ['[a,b]', '@(c,d)', '}e']);
  assert.deepEqual(globsOf('  '), []);
});

test('whatever is thrown has words', () => {
  assert.equal(said(new Error('no')), 'no');
  assert.equal(said(undefined), 'undefined');
});
