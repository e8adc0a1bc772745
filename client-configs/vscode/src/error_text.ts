/** The text of an error, for people. Pure. */

/** The path of the wrong parameter at the beginning of a message, which is for programs. */
const PARAMETER_PATH = /^params(?:\.\w+|\[\d+\])*: /u;

/** Return the message of whatever was thrown. */
export function errorText(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(PARAMETER_PATH, '');
}
