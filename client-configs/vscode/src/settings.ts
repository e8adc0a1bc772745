/** The names of the settings, and the values that are sent to the server. Pure. */

export const SECTION = 'intentLsp';

/** The settings that are sent to the server, which logs any other name as unknown. */
export const SERVER_SETTINGS = [
  'enabled',
  'exclude',
  'severity',
  'codeLens',
  'format',
  'hover',
  'inlayHints',
  'intentsCodeLens',
  'watch',
] as const;

/** The settings that this extension reads itself. */
export const EXTENSION_SETTINGS = {
  command: 'server.command',
  trace: 'trace.server',
  blame: 'blame.statusBar',
} as const;

/** Return the values that are sent to the server, out of all values of the section. */
export function serverSettings(section: unknown): Record<string, unknown> {
  if (typeof section !== 'object' || section === null) {
    return {};
  }
  const values: Record<string, unknown> = {};
  for (const name of SERVER_SETTINGS) {
    const value: unknown = Reflect.get(section, name);
    if (value !== undefined && value !== null) {
      values[name] = value;
    }
  }
  return values;
}
