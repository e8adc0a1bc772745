/** The settings: their names, and those among them that the server is told. Pure. */

export const SECTION = 'intentLsp';

/** What the server takes; it would log any other name as unknown. */
export const TOLD = [
  'enabled',
  'exclude',
  'severity',
  'codeLens',
  'hover',
  'inlayHints',
  'watch',
] as const;

/** What this extension reads itself, by the name after the section. */
export const OWN = {
  command: 'server.command',
  trace: 'trace.server',
  blame: 'blame.statusBar',
} as const;

/** Pick what the server is told from the section's values. */
export function toldOf(section: unknown): Record<string, unknown> {
  if (typeof section !== 'object' || section === null) {
    return {};
  }
  const told: Record<string, unknown> = {};
  for (const name of TOLD) {
    const value: unknown = Reflect.get(section, name);
    if (value !== undefined && value !== null) {
      told[name] = value;
    }
  }
  return told;
}
