/**
 * Prints console/src/parts/icons.ts: the outlines of the icons that the console uses, from Tabler Icons, whose package
 * has thousands of others. So building the console does not install them. A test holds the file to it:
 * `npm exec -- node scripts/icons.ts > console/src/parts/icons.ts`
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../console/src');
const WIDTH = 120;
const HEAD = `/**
 * The icons of the console, written by scripts/icons.ts, from Tabler Icons (https://tabler.io/icons), Copyright (c)
 * 2020-2026 Paweł Kuna, under the MIT license.
 */
import { icon } from './icon.tsx';
`;

interface IconModule {
  /** Its elements. */
  __iconNode: readonly (readonly [tag: string, attributes: { d: string }])[];
}

export async function iconsFile(): Promise<string> {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter((file) => !file.endsWith('parts/icons.ts'));
  const texts = files.map((file) => readFileSync(join(SOURCES, file), 'utf8'));
  const names = new Set(texts.flatMap((text) => text.match(/\bIcon[A-Z]\w*/g) ?? []));
  const lines = await Promise.all([...names].toSorted().map(toLine));
  return `${HEAD}\n${lines.join('')}`;
}

async function toLine(name: string): Promise<string> {
  const { __iconNode: nodes } = (await import(`@tabler/icons-react/dist/esm/icons/${name}.mjs`)) as IconModule;
  const parts = nodes.map(([tag, { d }]) => {
    if (tag !== 'path' || !d.startsWith('M')) throw new Error(`${name} is not made of paths that begin with M`);
    return d;
  });
  const path = `'${parts.join('')}'`;
  const line = `export const ${name} = icon(${path});\n`;
  return line.length <= WIDTH + 1 ? line : `export const ${name} = icon(\n  ${path},\n);\n`;
}

if (import.meta.main) process.stdout.write(await iconsFile());
