/** The page that says whether a file may be edited, and why: plain text, folded to lines. Pure. */

import { Explanation } from './wire';

const WIDE = 88;
const SIGNS = { fail: '✗', pass: '✓', skipped: '–' } as const;
const ORDER = ['fail', 'pass', 'skipped'] as const;

/** Spell the answer, then each row of the gate with what was found, those in the way first. */
export function explainPage(path: string, told: Explanation): string {
  const { allowed, reason } = told.decision;
  const head = allowed ? `${path} may be edited.` : `${path} may not be edited.`;
  const why = allowed || reason === undefined ? [] : ['', ...folded(reason, '')];
  const rows = ORDER.flatMap((outcome) =>
    told.rows
      .filter((row) => row.outcome === outcome)
      .flatMap((row) => ['', `${SIGNS[outcome]} ${row.label}`, ...folded(row.fact, '  ')]),
  );
  return `${[head, ...why, ...rows].join('\n')}\n`;
}

function folded(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    if (line.length > indent.length && line.length + 1 + word.length > WIDE) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [...lines, line];
}
