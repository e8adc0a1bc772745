import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverSettings } from '../src/settings';

test('only the settings of the server are sent to it', () => {
  const section = {
    enabled: true,
    hover: false,
    exclude: ['a'],
    severity: null,
    server: { command: ['x'] },
    trace: { server: 'off' },
  };
  assert.deepEqual(serverSettings(section), { enabled: true, hover: false, exclude: ['a'] });
  for (const nothing of [null, undefined, 'x', 3]) {
    assert.deepEqual(serverSettings(nothing), {});
  }
});
