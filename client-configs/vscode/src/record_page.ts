/** The page of one record in HTML: its facts, its files with hashes, its place in the chain. Pure.
 *
 * The page has no script and loads nothing. Everything from the record is escaped.
 */

import { contributorText, countText } from './labels';
import { LedgerRecord, RecordedFile } from './protocol';

const STYLE = `
body { font: var(--vscode-font-size) var(--vscode-font-family); padding: 0 1.5em 2em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .15em 1.2em .15em 0; }
th { font-weight: normal; color: var(--vscode-descriptionForeground); }
code { font-family: var(--vscode-editor-font-family); overflow-wrap: anywhere; }
.PASS { color: var(--vscode-charts-green); } .FAIL { color: var(--vscode-charts-red); }
`;

type Row = readonly [string, string];

/** Return the page. `flags` are the server's on the record; each page needs a new `nonce`. */
export function recordPage(
  record: LedgerRecord,
  flags: readonly string[],
  nonce: string,
): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  const verdict = escapeHtml(record.scope_validation);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Record</title><style nonce="${nonce}">${STYLE}</style></head><body>
<h1>Record <code>${escapeHtml(record.id)}</code> <span class="${verdict}">${verdict}</span></h1>
${table(factRows(record, flags))}
${record.files.map(fileSection).join('\n')}
<h2>Chain</h2>
${table(chainRows(record))}
</body></html>`;
}

/** Escape a text for HTML, also for the value of an attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function factRows(record: LedgerRecord, flags: readonly string[]): Row[] {
  const inferred = record.inferred === true ? ' (inferred)' : '';
  return [
    ['Intent', record.intent_id ?? 'none'],
    ['Time', record.timestamp],
    ['Contributor', contributorText(record)],
    ['Tool', record.tool_name ?? 'unknown'],
    ['Class', `${record.mutation_class ?? 'unknown'}${inferred}`],
    ['Outcome', record.success === false ? 'the call failed' : 'done'],
    ['Session', record.session_id ?? 'unknown'],
    ['Commit', record.vcs?.revision_id ?? 'unknown'],
    ...(flags.length > 0 ? [['Flags', flags.join(', ')] as const] : []),
  ];
}

function fileSection(recorded: RecordedFile): string {
  const ranges = (recorded.conversations ?? []).flatMap((each) => each.ranges);
  const previousPath = recorded.previous_path;
  const renamed = previousPath === undefined ? [] : [['Renamed from', previousPath] as const];
  const rows: Row[] = [
    ...renamed,
    ['Hash before', recorded.pre_hash ?? 'there was no file, or its content is not known'],
    ['Hash after', recorded.post_hash ?? 'there is no file, or its content is not known'],
    ...ranges.map((range): Row => {
      const whole = range.fallback === true ? 'whole file, ' : '';
      const [, removed] = range.replaced ?? [];
      const replacing = removed === undefined ? '' : ` (replaces ${countText(removed, 'line')})`;
      const lines = `${whole}${range.start_line}–${range.end_line}${replacing}`;
      return [`Lines ${lines}`, range.content_hash];
    }),
  ];
  return `<h2><code>${escapeHtml(recorded.relative_path)}</code></h2>\n${table(rows)}`;
}

function chainRows(record: LedgerRecord): Row[] {
  return [
    ['Hash of the previous record', record.integrity?.prev_record_hash ?? 'none (it is the first)'],
    ['Hash of this record', record.integrity?.record_hash ?? 'none (written by an older tool)'],
  ];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th>${escapeHtml(name)}</th><td><code>${escapeHtml(value)}</code></td></tr>`,
  );
  return `<table>${lines.join('')}</table>`;
}
