/** The server's `intent/*` requests and the types of their answers. Pure. */

/** The names of the requests that this extension makes, without `intent/`. */
export const REQUESTS = [
  'list',
  'select',
  'clear',
  'status',
  'create',
  'complete',
  'explain',
  'trace',
  'change',
  'blame',
  'lines',
  'verify',
  'drafts',
  'init',
] as const;
export type Request = (typeof REQUESTS)[number];

/** The server's commands that this extension runs with `workspace/executeCommand`. */
export const COMMANDS = ['intent.restoreDraft'] as const;
export type ServerCommand = (typeof COMMANDS)[number];

export const DID_CHANGE = 'intent/didChange';
export const DID_TRACE = 'intent/didTrace';

export interface Status {
  readonly root: string | null;
  readonly enabled: boolean;
  readonly fileState: 'ok' | 'broken' | 'missing' | 'unavailable';
  readonly reason?: string;
  readonly activeIntentId: string | null;
  readonly enforcement: string;
  readonly records: number;
  /** The agent hosts that did not ask while files changed; absent in answers of older servers. */
  readonly blindHosts?: readonly string[];
}

export interface Intent {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly ownedScope: readonly string[];
  readonly flags: readonly string[];
}

export interface IntentList {
  readonly activeIntentId: string | null;
  readonly intents: readonly Intent[];
}

export interface Range {
  readonly start_line: number;
  readonly end_line: number;
  readonly content_hash: string;
  readonly replaced?: readonly number[];
  readonly fallback?: boolean;
}

export interface Conversation {
  readonly contributor: { readonly entity_type: string; readonly model_identifier?: string };
  readonly ranges: readonly Range[];
}

export interface RecordedFile {
  readonly relative_path: string;
  readonly previous_path?: string;
  readonly pre_hash: string | null;
  readonly post_hash: string | null;
  readonly conversations?: readonly Conversation[];
}

/** One line of the ledger, with its names as they are in the file. */
export interface LedgerRecord {
  readonly id: string;
  readonly timestamp: string;
  readonly intent_id: string | null;
  readonly session_id?: string;
  readonly tool_name?: string;
  readonly mutation_class?: string | null;
  readonly inferred?: boolean;
  readonly scope_validation: string;
  readonly success?: boolean;
  readonly vcs?: { readonly revision_id?: string };
  readonly files: readonly RecordedFile[];
  readonly grant?: { readonly patterns: readonly string[] };
  readonly integrity?: {
    readonly prev_record_hash: string | null;
    readonly record_hash: string;
  };
}

export interface TracePage {
  readonly records: readonly LedgerRecord[];
  readonly flags: { readonly [id: string]: readonly string[] };
  readonly who: { readonly [id: string]: string };
  readonly cursor?: string;
}

export interface Problem {
  readonly code: string;
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly records: number;
  readonly problems: readonly Problem[];
  readonly proved: string;
  readonly conditional: string;
}

export interface BlameRun {
  readonly startLine: number;
  readonly endLine: number;
  readonly recordId: string | null;
  readonly intentId: string | null;
  readonly entityType: string | null;
  readonly modelIdentifier: string | null;
  readonly author: string | null;
  readonly isYou: boolean | null;
  readonly timestamp: string | null;
  readonly toolName: string | null;
  readonly confidence: string;
}

/** The text of a file before or after a record. `why` is the reason if there is no text. */
export interface ChangeSide {
  readonly text: string | null;
  readonly why: string | null;
}

export interface ChangedFile {
  readonly path: string;
  readonly uri: string;
  readonly previousPath: string | null;
  readonly before: ChangeSide;
  readonly after: ChangeSide;
}

export interface Change {
  readonly recordId: string;
  readonly intentId: string | null;
  readonly intentName: string | null;
  readonly who: string;
  readonly timestamp: string;
  readonly scopeValidation: string;
  readonly reason: string | null;
  readonly files: readonly ChangedFile[];
}

export interface Blame {
  readonly lines: readonly BlameRun[];
}

export interface Draft {
  readonly id: string;
  readonly path: string;
  readonly createdAt: string;
  readonly code: string;
  readonly intentId: string | null;
}

export interface Explanation {
  readonly rows: readonly {
    readonly row: number;
    readonly code: string | null;
    readonly label: string;
    readonly fact: string;
    readonly outcome: 'pass' | 'fail' | 'skipped';
  }[];
  readonly decision: { readonly allowed: boolean; readonly reason?: string };
}

export interface IntentLines {
  readonly total: number;
  readonly truncated: boolean;
  readonly files: readonly {
    readonly uri: string;
    readonly lines: readonly { readonly startLine: number; readonly endLine: number }[];
  }[];
}
