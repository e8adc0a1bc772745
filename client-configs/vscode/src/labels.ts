/** The words for what the server tells: short, the same in every part of the window. Pure. */

import { BlameRun, Intent, LedgerRecord, Status, Verification } from './wire';

const CLOSED = new Set(['COMPLETED', 'ABANDONED', 'ARCHIVED']);
const NAME_AT_MOST = 32;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;
const SPANS: readonly (readonly [number, string])[] = [
  [YEAR, 'year'],
  [MONTH, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
];

export interface Label {
  readonly text: string;
  readonly tooltip: string;
  readonly warns: boolean;
}

export function isOpen(intent: Intent): boolean {
  return !CLOSED.has(intent.status) && !intent.flags.includes('INTENT_IGNORED');
}

export function intentTitle(intent: Pick<Intent, 'id' | 'name'>): string {
  return intent.name ? `${intent.id} ${intent.name}` : intent.id;
}

/** Spell the status bar's item; undefined: nobody governs here, and nothing is shown. */
export function statusLabel(status: Status, intents: readonly Intent[]): Label | undefined {
  if (status.root === null) {
    return undefined;
  }
  const saves = `Saves: ${status.enforcement} · records: ${status.records} · ${status.root}`;
  if (!status.enabled || status.fileState !== 'ok') {
    const tooltip = `${status.reason ?? 'The intents file cannot be read.'}\n${saves}`;
    return { text: '$(warning) Intents off', tooltip, warns: true };
  }
  const id = status.activeIntentId;
  if (id === null) {
    const tooltip = `Select an intent\n${saves}`;
    return { text: '$(circle-slash) No intent', tooltip, warns: false };
  }
  const active = intents.find((intent) => intent.id === id) ?? { id, name: '' };
  const tooltip = `${intentTitle(active)}\nSelect another intent\n${saves}`;
  return { text: `$(target) ${shortened(plain(intentTitle(active)))}`, tooltip, warns: false };
}

/** Spell how long ago a moment was; `now` in milliseconds. */
export function age(timestamp: string, now: number): string {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) {
    return 'some time ago';
  }
  const span = SPANS.find(([length]) => seconds >= length);
  if (!span) {
    return 'just now';
  }
  return `${counted(Math.floor(seconds / span[0]), span[1])} ago`;
}

export function recordTitle(record: LedgerRecord): string {
  const [first, ...rest] = record.files.map((file) => file.relative_path);
  return first === undefined ? '(no file)' : rest.length ? `${first} +${rest.length}` : first;
}

export function recordDetail(record: LedgerRecord, now: number): string {
  const failed = record.success === false ? ['failed'] : [];
  const said = [
    age(record.timestamp, now),
    record.intent_id ?? 'no intent',
    record.scope_validation,
    ...failed,
    contributorOf(record),
  ];
  return said.join(' · ');
}

/** Say who made a record: a person, an agent's model, or both. */
export function contributorOf(record: LedgerRecord): string {
  const told = record.files[0]?.conversations?.[0]?.contributor;
  return contributor(told?.entity_type ?? 'UNKNOWN', told?.model_identifier ?? null);
}

export function blameLabel(run: BlameRun, now: number): string | undefined {
  if (run.recordId === null || run.timestamp === null) {
    return undefined;
  }
  const person = run.author ?? (run.isYou ? 'you' : 'a person');
  const who = contributor(run.entityType ?? 'UNKNOWN', run.modelIdentifier, person);
  const said = plain(`${run.intentId ?? 'no intent'}, ${who}`);
  return `$(git-commit) ${said}, ${age(run.timestamp, now)}`;
}

export function verifiedLabel(found: Verification): string {
  const records = counted(found.records, 'record');
  if (found.ok) {
    return `✓ verified · ${records}`;
  }
  return `✗ ${counted(found.problems.length, 'problem')} · ${records}`;
}

/** Spell a number of things. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Take the signs out of a text that the status bar would draw as icons. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll(/\s+/gu, ' ');
}

function contributor(entity: string, model: string | null, person = 'a person'): string {
  switch (entity) {
    case 'HUMAN':
      return model === null || model === 'human' ? person : model;
    case 'AI':
      return model ?? 'an agent';
    case 'MIXED':
      return `${model ?? 'an agent'} and ${person}`;
    default:
      return 'unknown';
  }
}

function shortened(text: string): string {
  const letters = [...text];
  const most = NAME_AT_MOST;
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}
