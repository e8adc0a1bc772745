import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorText } from '../src/error_text';

test('everything that is thrown has a text', () => {
  assert.equal(errorText(new Error('no')), 'no');
  assert.equal(errorText(undefined), 'undefined');
});
