/**
 * The packages of `npm run package`, installed in an empty folder with the machine's own Node.js and npm. That of
 * Postern serves, decides, reports (threads, DuckDB and all), and stops on request. Those of the client and of the
 * adapters need no registry, and guard a site.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { assertBackgroundWorked } from '../../kit/background.ts';
import { outside, outsidePath, type Ran, runOutside } from '../../kit/npm.ts';
import { until } from '../../kit/until.ts';
import { words } from '../../kit/words.ts';
import { VERSION } from '../../src/lib/version.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-pack-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Surroundings {
  cwd?: string;
  input?: string;
}
const run = (
  file: string,
  args: string[],
  env: Record<string, string> = {},
  { cwd = folder, input = '' }: Surroundings = {},
): Promise<Ran> => runOutside(file, args, { cwd, env, input });

/** Most of it is the pinned Node.js. */
const SIZE_MB = 330;

const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

interface Packed {
  name: string;
  filename: string;
  files: { path: string }[];
}

/** Packs everything as it is published; returns what npm says of each package. */
async function pack(): Promise<Packed[]> {
  // npm runs no scripts here, so what it would run first is run.
  assert.equal((await run(process.execPath, ['scripts/build.ts'], {}, { cwd: process.cwd() })).status, 0);
  // It is built anew: what no source leads to does not come along.
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/left-over.js', '');
  const { status, stdout, stderr } = await run(
    'npm',
    ['run', '--silent', 'package', '--', '--json', '--pack-destination', folder],
    { PATH: process.env.PATH ?? '', POSTERN_REPOSITORY: 'https://git.example/postern' },
    { cwd: process.cwd() },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Packed[];
}
const packed = await pack();

test('the client and every adapter install from their files alone, and run as their pages say', async () => {
  const cwd = join(folder, 'site');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"private": true, "type": "module"}');
  const parts = packed.filter(({ name }) => name !== 'postern');
  const files = parts.map(({ filename }) => join(folder, filename));
  const offline = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'empty-cache')];
  const installed = await run('npm', [...offline, ...files], {}, { cwd });
  assert.equal(installed.status, 0, installed.stderr);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['client', ...Object.keys(RUNS)].map((name) => `@postern/${name}`),
  );
  const place = (name: string): string => join(cwd, 'node_modules/@postern', name);
  for (const [name, { program, says }] of Object.entries(RUNS)) {
    // Out of `node_modules`, as its page says: its platform builds and configures the copy.
    const copy = join(cwd, name);
    cpSync(place(name), copy, { recursive: true });
    writeFileSync(join(copy, 'run.mjs'), program);
    const ran = await run(process.execPath, ['run.mjs'], SETTINGS, { cwd: copy });
    assert.match(ran.stdout, says, `${name}: ${ran.stderr}`);
  }
  const root = join(folder, 'postern');
  mkdirSync(root);
  const [service = ''] = packed.filter(({ name }) => name === 'postern').map(({ filename }) => filename);
  assert.equal((await run('tar', ['-xzf', join(folder, service), '-C', root, '--strip-components=1'])).status, 0);
  for (const at of [root, ...['client', ...Object.keys(RUNS)].map(place)]) {
    const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    const { private: blocked, license, publishConfig, repository, version } = manifest;
    assert.deepEqual([blocked, license, version], [undefined, 'Apache-2.0', VERSION], at);
    assert.deepEqual(publishConfig, { access: 'public', provenance: true });
    assert.equal(repository.url, 'git+https://git.example/postern.git');
    for (const name of ['LICENSE', 'README.md', ...manifest.files]) assert.ok(existsSync(join(at, name)), name);
  }
});

/** A Postern that is not there: the adapters answer as it was chosen. */
const SETTINGS = {
  POSTERN_URL: 'http://127.0.0.1:9',
  POSTERN_KEY: 'k',
  POSTERN_ORIGIN: 'https://site.example',
  POSTERN_ASK: 'everyone',
  POSTERN_ON_ERROR: 'deny',
};

/** A request to each adapter, by its package in plain Node.js, and what comes of it. */
const RUNS: Readonly<Record<string, { program: string; says: RegExp }>> = {
  cloudflare: {
    program: `import worker from './worker.js';
      const context = { waitUntil() {}, passThroughOnException() {} };
      console.log((await worker.fetch(new Request('https://site.example/a'), process.env, context)).status);`,
    says: /^503$/m,
  },
  cloudfront: {
    program: `await import('./configure.mjs');
      const { handler } = await import('./index.mjs');
      const request = { clientIp: '192.0.2.1', method: 'GET', uri: '/a', querystring: '', headers: {} };
      console.log((await handler({ Records: [{ cf: { config: { eventType: 'viewer-request' }, request } }] })).status);`,
    says: /^503$/m,
  },
  // Modules of its platform are given by its compiler.
  fastly: {
    program: `import { readFileSync } from 'node:fs';
      const [, name] = /from '(@postern[^']+)'/.exec(readFileSync('src/index.js', 'utf8'));
      const { guardSite, SETTINGS } = await import(name);
      const guard = guardSite(async () => process.env);
      const event = { request: new Request('https://site.example/a'), client: { address: '192.0.2.1', geo: {} }, waitUntil() {} };
      console.log((await guard(event)).status);`,
    says: /^503$/m,
  },
  netlify: {
    program: `import guard, { config } from './netlify/edge-functions/postern.ts';
      globalThis.Netlify = { env: { get: (name) => process.env[name], toObject: () => process.env } };
      const context = { ip: '192.0.2.1', geo: {}, next: async () => new Response('page'), waitUntil() {} };
      console.log(config.path, (await guard(new Request('https://site.example/a'), context)).status);`,
    says: /^\/\* 503$/m,
  },
  next: {
    program: `import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('node_modules/next', { recursive: true });
      writeFileSync('node_modules/next/server.js', 'export const NextResponse = Response;');
      writeFileSync('node_modules/next/package.json', '{"type":"module","exports":{"./server":"./server.js"}}');
      const { proxy, config } = await import('./proxy.ts');
      const context = { waitUntil() {} };
      console.log(config.matcher, (await proxy(new Request('https://site.example/a'), context)).status);`,
    says: /^\/:path\* 503$/m,
  },
};

test('the package installs elsewhere and runs', async (t) => {
  const [own] = packed.filter(({ name }) => name === 'postern');
  assert.ok(own !== undefined);
  const { filename, files } = own;
  const paths = files.map(({ path }) => path);
  for (const path of words(`
    bin/postern.js dist/postern.js dist/main.js dist/db/sqlite/worker.js dist/decisions/history/columns/columns-worker.js dist/audit/audit-worker.js dist/LICENSES.txt console/dist/index.html docs/cli.md
    LICENSE README.md
  `)) {
    assert.ok(paths.includes(path), path);
  }
  // An adapter's source is what its platform deploys.
  const built = paths.filter((path) => !path.startsWith('adapters/'));
  assert.deepEqual(
    built.filter((path) => /\.ts$|left-over|^(?:src|test|bench\/(?!RESULTS)|demo|node_modules)\//.test(path)),
    [],
  );

  // One command in an empty folder.
  await servesWithNpx(join(folder, filename));

  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const installed = await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`]);
  assert.equal(installed.status, 0, installed.stderr);
  const size = bytesIn(join(folder, 'node_modules')) / 1e6;
  t.diagnostic(`installed: ${size.toFixed(0)} MB`);
  assert.ok(size <= SIZE_MB, `${size} MB installed`);
  const bin = join(folder, 'node_modules/.bin/postern');
  assert.deepEqual(await run(bin, ['--version']), { status: 0, stdout: `${VERSION}\n`, stderr: '' });
  assert.deepEqual(deadLinksIn(join(folder, 'node_modules/postern')), []);
  // Node.js has an option of this name, too.
  const absent = await run(bin, ['status', '--env-file', 'absent.env']);
  assert.deepEqual([absent.status, absent.stderr], [2, 'Cannot read absent.env: it does not exist.\n']);

  assert.equal((await run(bin, ['init', '--yes', '--template', 'licensed_only'])).status, 0);
  const service = spawn(bin, ['serve', '--env-file', 'postern.env'], {
    cwd: folder,
    env: { ...outside, PATH: outsidePath, POSTERN_PORT: '0', POSTERN_LOG_LEVEL: 'warn' },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  service.stdout.on('data', (chunk) => (out += chunk));
  service.stderr.on('data', (chunk) => (err += chunk));
  const ended = new Promise<number | null>((done) => service.once('exit', (code) => done(code)));
  try {
    const url = await until('it answers', () => /answers on (http:\S+)/.exec(out)?.[1], 30_000);
    const env = { POSTERN_URL: url, POSTERN_ENV_FILE: 'postern.env' };
    const doctor = await run(bin, ['doctor'], { ...env, POSTERN_PORT: '0' });
    assert.equal(doctor.status, 0, doctor.stdout);
    assert.match(doctor.stdout, /✓ machine +Node\.js 2[6-9]|✓ machine +Node\.js [3-9]\d/);
    assert.equal((await run(bin, ['policies', 'apply', '--yes', 'policies/licensed-only.yaml'], env)).status, 0);
    const { stdout: list } = await run(bin, ['policies', 'list', '--json'], env);
    const policy = (JSON.parse(list) as { id: string; name: string }[]).find(({ name }) => name === 'Licensed only');
    const item = '{"externalId":"a","title":"A","type":"article","source":"https://example.com/a"}';
    const imported = await run(bin, ['content', 'import', '-', '--policy', policy?.id ?? ''], env, { input: item });
    assert.equal(imported.stdout, '1 item: 1 created, 0 updated\n');
    assert.equal((await run(bin, ['check', 'a', '--requester', 'r'], env)).status, 3);
    assert.equal((await run(bin, ['check', 'a', '--requester', 'r', '--license-type', 'x'], env)).status, 0);
    assert.match(
      (await run(bin, ['usage', '--period', '7d'], env)).stdout,
      /^2 requests from 1 requester for 1 item\n/,
    );
    const impact = await run(bin, ['policies', 'impact', 'Licensed only', '--of-version', '1'], env);
    assert.match(impact.stdout, /^2 decisions/, impact.stderr);
    const consolePage = await fetch(`${url}/console`);
    assert.deepEqual([consolePage.status, /<div id=/.test(await consolePage.text())], [200, true]);
    // The launcher passes it on, and ends as the service ends.
    service.kill('SIGTERM');
    assert.equal(await ended, 0, err);
    assertBackgroundWorked(err);
    const gone = await run(bin, ['doctor', '--health'], env);
    assert.deepEqual([gone.status, /no answer from/.test(gone.stdout)], [1, true]);
  } finally {
    // The launcher's own child must not be left behind.
    if (service.exitCode === null) service.kill('SIGTERM');
    await ended;
  }
});

/** Returns the links to files that did not come along, of the page that introduces the package and of its docs. */
function deadLinksIn(root: string): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
  assert.ok(pages.length > 20);
  return pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
}

/** Runs the package as `npx` does for a first look: a service with a key, a console, and data in the folder. */
async function servesWithNpx(tarball: string): Promise<void> {
  const cwd = join(folder, 'empty');
  mkdirSync(cwd);
  const npx = spawn('npx', ['--yes', '--prefer-offline', `--package=${tarball}`, 'postern'], {
    cwd,
    env: { ...outside, PATH: outsidePath, npm_config_cache: process.env.npm_config_cache, POSTERN_PORT: '0' },
    stdio: 'pipe',
    detached: true,
  });
  let out = '';
  npx.stdout.on('data', (chunk) => (out += chunk));
  npx.stderr.resume();
  const ended = new Promise((done) => npx.once('exit', done));
  try {
    const url = await until('npx serves', () => /answers on (http:\S+)/.exec(out)?.[1], 120_000);
    const key = await until('the first key', () => /svc_sk_\w{49}/.exec(out)?.[0]);
    assert.match(out, /#link=/);
    assert.match(await (await fetch(`${url}/console`)).text(), /<div id=/);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${url}/v1/content`, { headers })).status, 200);
    assert.ok(existsSync(join(cwd, 'data')));
  } finally {
    // npx starts a shell, that the launcher, and that the service.
    process.kill(-(npx.pid as number), 'SIGTERM');
    await ended;
  }
}
