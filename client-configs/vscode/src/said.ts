/** The words of whatever was thrown. Pure. */

/** Where in a request something was wrong, which is for programs. */
const PLACE = /^params(?:\.\w+|\[\d+\])*: /u;

export function said(thrown: unknown): string {
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  return words.replace(PLACE, '');
}
