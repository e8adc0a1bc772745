/** The words of whatever was thrown. Pure. */

export function said(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
