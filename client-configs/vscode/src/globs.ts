/** Globs that are written in one line, separated by commas. Pure. */

/** Split a line at commas, except inside brackets, where a comma belongs to the glob. */
export function splitGlobs(line: string): string[] {
  const globs: string[] = [];
  let [glob, depth] = ['', 0];
  for (const letter of line) {
    if (letter === ',' && depth === 0) {
      globs.push(glob);
      glob = '';
      continue;
    }
    depth = Math.max(0, depth + (opens(letter) ? 1 : closes(letter) ? -1 : 0));
    glob += letter;
  }
  return [...globs, glob].map((each) => each.trim()).filter((each) => each !== '');
}

function opens(letter: string): boolean {
  return letter === '{' || letter === '[' || letter === '(';
}

function closes(letter: string): boolean {
  return letter === '}' || letter === ']' || letter === ')';
}
