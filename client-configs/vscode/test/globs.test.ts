import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitGlobs } from '../src/globs';

test('globs are split at commas outside of brackets', () => {
  assert.deepEqual(splitGlobs('src/**, docs/*.md ,'), ['src/**', 'docs/*.md']);
  assert.deepEqual(splitGlobs('src/{a,b}/**,x'), ['src/{a,b}/**', 'x']);
  assert.deepEqual(splitGlobs('[a,b], @(c,d), }e'), ['[a,b]', '@(c,d)', '}e']);
  assert.deepEqual(splitGlobs('  '), []);
});
