/** Stands in for `node:test`: what a file declares is collected, to be run one by one and again for each mutant. */
export interface Collected {
  file: string;
  name: string;
  run(): unknown;
}

type Body = (context: object) => unknown;

const tests: Collected[] = [];
let path: string[] = [];
let file = '';

/** The tests that a file declares while it is imported. */
export async function collect(name: string, load: () => Promise<unknown>): Promise<Collected[]> {
  const before = tests.length;
  file = name;
  await load();
  return tests.slice(before);
}

export function test(name: string, options: object | Body, body = options as Body): void {
  if ((options as { skip?: unknown }).skip) return;
  const run = (): unknown => body({ diagnostic: () => {} });
  tests.push({ file, name: [...path, name].join(' > '), run });
}

export function describe(name: string, body: () => void): void {
  path = [...path, name];
  body();
  path = path.slice(0, -1);
}

export function suite(name: string, body: () => void): void {
  describe(name, body);
}

/** The process ends with its leftovers. */
export const after = (): void => {};
