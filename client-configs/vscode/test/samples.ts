/** Small examples of a server's answers. */

import { Intent, LedgerRecord, Status } from '../src/protocol';

export const NOW = Date.parse('2026-11-22T12:00:00Z');

export const INTENT: Intent = {
  id: 'INT-001',
  name: 'Login',
  status: 'IN_PROGRESS',
  ownedScope: ['src/auth/**'],
  flags: [],
};

export const STATUS: Status = {
  root: '/work',
  enabled: true,
  fileState: 'ok',
  activeIntentId: null,
  enforcement: 'warn',
  records: 3,
};

export const RECORD: LedgerRecord = {
  id: 'b3c1f0de-5a52-4a3c-9d0e-0c6d6a6f7a11',
  timestamp: '2026-11-22T11:58:00.000Z',
  intent_id: 'INT-001',
  session_id: 'a-session',
  tool_name: 'editor/save',
  mutation_class: 'INTENT_EVOLUTION',
  inferred: true,
  scope_validation: 'PASS',
  success: true,
  vcs: { revision_id: 'UNKNOWN' },
  files: [
    {
      relative_path: 'src/auth/login.py',
      pre_hash: 'sha256:aa',
      post_hash: 'sha256:bb',
      conversations: [
        {
          contributor: { entity_type: 'HUMAN', model_identifier: 'human' },
          ranges: [
            { start_line: 3, end_line: 5, content_hash: 'sha256:cc', replaced: [3, 2, 3] },
            { start_line: 1, end_line: 9, content_hash: 'sha256:dd', fallback: true },
          ],
        },
      ],
    },
    { relative_path: 'gone.py', previous_path: 'was.py', pre_hash: 'sha256:ee', post_hash: null },
  ],
  integrity: { prev_record_hash: null, record_hash: 'sha256:ff' },
};
