/** The page that says whether a file may be edited, and why, in lines of plain text. Pure. */

import { Explanation } from './protocol';

const WIDTH = 88;
const SIGNS = { fail: '✗', pass: '✓', skipped: '–' } as const;
const ORDER = ['fail', 'pass', 'skipped'] as const;

/** Return the answer, then each row of the gate with its fact. Rows that failed come first. */
export function explainPage(path: string, explanation: Explanation): string {
  const { allowed, reason } = explanation.decision;
  const answer = allowed ? `${path} may be edited.` : `${path} may not be edited.`;
  const why = allowed || reason === undefined ? [] : ['', ...wrap(reason, '')];
  const rows = ORDER.flatMap((outcome) =>
    explanation.rows
      .filter((row) => row.outcome === outcome)
      .flatMap((row) => ['', `${SIGNS[outcome]} ${row.label}`, ...wrap(row.fact, '  ')]),
  );
  return `${[answer, ...why, ...rows].join('\n')}\n`;
}

function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    if (line.length > indent.length && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [...lines, line];
}
