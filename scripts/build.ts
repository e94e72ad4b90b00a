/**
 * Writes dist/ for the package: the JavaScript of src/ with audit/, the client and the packages that it uses, in few
 * files, because Node.js strips no types inside node_modules and takes longest to load many small modules. What is
 * started by path keeps its name: the service, the command, threads and procedures. Beside them are data and the
 * licenses of what was built in.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { hashOf, RECORD } from '../bin/built.js';
import { isExternal } from './external.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');
const dist = join(root, 'dist');
const written = new Map<string, string>();
/** The contents of what dist/ is made of, by their paths from the root. */
const made = new Map<string, string>();
for (const name of ['package-lock.json', 'tsconfig.json', 'scripts/build.ts', 'scripts/external.ts']) {
  made.set(name, readFileSync(join(root, name), 'utf8'));
}
/** Stands for the URL of dist/ until it is known which file the code ends up in. */
const DIST = '__DIST_URL__';

const places: Plugin = {
  name: 'places',
  /** Names files from dist/ instead of from the module. */
  transform(code, id) {
    if (!/^(audit\/)?src\//.test(relative(root, id))) return null;
    const placed = code.replaceAll(/new URL\('([\w./-]+)', import\.meta\.url\)/g, (_, path: string) => {
      const target = distPath(join(dirname(id), path)).replace(/\.ts$/, '.js');
      return `new URL(${JSON.stringify(target)}, ${DIST})`;
    });
    // Lines stay where they are.
    return { code: placed, map: null };
  },
  renderChunk(code, { fileName }) {
    const up = relative(dirname(join(dist, fileName)), dist);
    const url = `new URL(${JSON.stringify(`${up === '' ? '.' : up}/`)}, import.meta.url)`;
    return { code: code.replaceAll(DIST, url), map: null };
  },
};

/** The command starts the service that is built, rather than one of its own. */
const service: Plugin = {
  name: 'service',
  resolveId: (id) => (id === './main.ts' ? { id: './main.js', external: 'relative' } : null),
};

/** Keeps what was read, also if a file is changed meanwhile. */
const reading: Plugin = {
  name: 'reading',
  transform(code, id) {
    if (!id.startsWith('\0')) made.set(relative(root, id), code);
  },
};

/** Programs that run apart are built apart: each loads a few files of its own rather than many that they share. */
const chunks = (
  await Promise.all([{ main: 'src/main.ts' }, { postern: 'src/postern.ts' }, started()].map(bundled))
).flat();
for (const { fileName, code, map } of chunks) {
  place(fileName, code);
  // The sources themselves are not repeated.
  if (map !== null) place(`${fileName}.map`, JSON.stringify({ ...map, sourcesContent: undefined }));
}
for (const file of globSync('**/*.json', { cwd: src })) {
  const text = readFileSync(join(src, file), 'utf8');
  made.set(`src/${file}`, text);
  place(file, text);
}
place('LICENSES.txt', licenses(chunks.flatMap(({ moduleIds }) => moduleIds)));
// Maps are not run.
const run = [...written].filter(([name]) => !name.endsWith('.map'));
const files = new Map([...made, ...run.map(([name, text]) => [`dist/${name}`, text] as const)]);
place(relative(dist, RECORD), JSON.stringify({ files: [...files.keys()], hash: hashOf(files) }));
for (const name of globSync('**/*.{js,json,map,txt}', { cwd: dist })) {
  if (!written.has(name)) rmSync(join(dist, name), { force: true });
}
process.stderr.write(`${written.size} files in dist\n`);

/** `entries`: source files by their names in dist/, without an ending. */
async function bundled(entries: Record<string, string>): Promise<OutputChunk[]> {
  await using bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: isExternal,
    plugins: [reading, places, service],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    // One other character, such as in a comment, and V8 keeps two bytes for each of a file.
    charset: 'ascii',
    comments: false,
  });
  return output.filter((one) => one.type === 'chunk');
}

/** A file as dist/ names it: src/a.ts is a.ts there, audit/src/b.ts is audit/b.ts, and others are beside dist/. */
function distPath(file: string): string {
  return relative(src, file).replace(/^\.\.\/audit\/src\//, 'audit/');
}

/** The modules that the source starts by path. */
function started(): Record<string, string> {
  const paths = globSync('{src,audit/src}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/new URL\('([\w./-]+\.ts)', import\.meta\.url\)/g)].map(
        ([, path = '']) => join(root, dirname(file), path),
      ),
    );
  return Object.fromEntries(paths.map((path) => [distPath(path).replace(/\.ts$/, ''), path]));
}

/** The licenses of the packages that these modules come from. Throws if one has none. */
function licenses(moduleIds: readonly string[]): string {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
        license: string;
      };
      const [file] = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder });
      if (file === undefined && license === undefined) throw new Error(`${name} has no license`);
      const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function place(name: string, text: string): void {
  const target = join(dist, name);
  written.set(name, text);
  // An unchanged file is left alone, so that builds can run in parallel.
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
