/** The choice of the server's program. Pure: the disk is asked through `Surroundings`. */

import { posix } from 'node:path';

/** Where the program was found; said in the log and in complaints. */
export type Source = 'setting' | 'environment' | 'path' | 'extension';

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly source: Source;
}

export interface Missing {
  /** Every place that was looked at, in order. */
  readonly looked: readonly string[];
  /** What the setting names, where it names something that cannot be started. */
  readonly named?: string;
  /** The versions that the extension has installed, none of which is its own. */
  readonly others?: readonly string[];
}

/** What the extension has installed itself, if anything, when it was asked to. */
export interface Own {
  readonly storage: string;
  /** The version of the extension, which is that of the server that fits it. */
  readonly version: string;
}

export interface Surroundings {
  /** The words of `intentLsp.server.command`; none: the server is looked for. */
  readonly setting: readonly string[];
  /** Whether the workspace may have a say in what is started. */
  readonly trusted: boolean;
  readonly folders: readonly string[];
  readonly home: string;
  readonly searchPath: string;
  readonly own: Own;
  /** The names of what is in the extension's own storage. */
  readonly stored: readonly string[];
  /** The Python interpreters that were chosen for the workspace; asked only when needed. */
  interpreters(): Promise<readonly string[]>;
  executable(path: string): boolean;
}

export const PROGRAM = 'intent-lsp';
const ENVIRONMENTS = ['.venv', 'venv', 'env'];
const SERVE = 'serve';
const PLACE = 'server-';

/** Choose what is started: the setting, the workspace's environment, the search path, our own. */
export async function choose(around: Surroundings): Promise<Launch | Missing> {
  if (around.setting.length > 0) {
    return ofSetting(around);
  }
  const looked: string[] = [];
  const find = (places: readonly string[], source: Source): Launch | undefined => {
    looked.push(...places);
    const found = places.find((place) => around.executable(place));
    return found === undefined ? undefined : { argv: [found, SERVE], source };
  };
  if (around.trusted) {
    const found = find(inFolders(around.folders), 'environment')
      ?? find((await around.interpreters()).map(beside), 'environment');
    if (found) {
      return found;
    }
  }
  return find(onSearchPath(PROGRAM, around.searchPath), 'path') ?? ofOwn(around, looked);
}

/** Give the directory of what a version of the extension has installed. */
export function ownPlace(storage: string, version: string): string {
  return posix.join(storage, PLACE + version);
}

/** Pick the names of what other versions of the extension have installed. */
export function otherPlaces(stored: readonly string[], version: string): string[] {
  return stored.filter((name) => name.startsWith(PLACE) && name !== PLACE + version);
}

/** Give the words that start what is installed in a directory. */
export function ownModule(place: string): [string, ...string[]] {
  // By its Python: scripts hold the path under which they were installed, and it is moved after.
  // Isolated: no directory of the workspace's, and no variable, says what is imported.
  return [posix.join(place, 'bin', 'python'), '-I', '-m', 'intent_lsp'];
}

/** Give the words that start another command of the same program: `intent-lsp trace report`. */
export function commandLine(launch: Launch, ...words: readonly string[]): [string, ...string[]] {
  const [program, ...rest] = launch.argv;
  const serve = rest.lastIndexOf(SERVE);
  return [program, ...(serve < 0 ? rest : rest.slice(0, serve)), ...words];
}

export function isLaunch(chosen: Launch | Missing): chosen is Launch {
  return 'argv' in chosen;
}

function ofSetting(around: Surroundings): Launch | Missing {
  const [named = '', ...rest] = around.setting.map((word) => expanded(word, around));
  const places = named.includes('/') ? [named] : onSearchPath(named, around.searchPath);
  const found = places.find((place) => place.startsWith('/') && around.executable(place));
  return found === undefined
    ? { looked: places, named }
    : { argv: [found, ...rest], source: 'setting' };
}

function ofOwn({ own, stored, executable }: Surroundings, looked: string[]): Launch | Missing {
  const [python, ...module] = ownModule(ownPlace(own.storage, own.version));
  looked.push(python);
  if (executable(python)) {
    return { argv: [python, ...module, SERVE], source: 'extension' };
  }
  const others = otherPlaces(stored, own.version).map((name) => name.slice(PLACE.length));
  return { looked, others };
}

function expanded(word: string, around: Surroundings): string {
  const folder = around.folders[0] ?? '';
  const said = word.replaceAll('${workspaceFolder}', folder).replaceAll('${userHome}', around.home);
  return said.startsWith('~/') ? posix.join(around.home, said.slice(2)) : said;
}

function inFolders(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    ENVIRONMENTS.map((name) => posix.join(folder, name, 'bin', PROGRAM)),
  );
}

function beside(interpreter: string): string {
  return posix.join(posix.dirname(interpreter), PROGRAM);
}

function onSearchPath(program: string, searchPath: string): string[] {
  // A relative entry would mean whatever directory the editor was started in.
  const directories = searchPath.split(':').filter((entry) => entry.startsWith('/'));
  return directories.map((directory) => posix.join(directory, program));
}
