/**
 * The package as it is published: packed, it holds what it should and nothing else, needs no other package, compiles
 * for those who use it, does what its README says, and works in Node, Deno, Bun and an edge runtime.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { pluck } from '../../../kit/pluck.ts';
import { startTestService } from '../../../kit/service.ts';
import { words } from '../../../kit/words.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'postern-client-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

// npm runs no scripts here, so what it would run first is run.
execFileSync(process.execPath, ['scripts/build-client.ts']);
const packing = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
  cwd: 'client',
  encoding: 'utf8',
});
const [packed] = JSON.parse(packing.slice(packing.indexOf('[\n'))) as [{ filename: string; files: { path: string }[] }];
const installed = join(folder, 'node_modules/@postern/client');
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

test('it holds the built client, its declarations, the README and the licence', () => {
  const sources = globSync('client/src/**/*.ts').map((file) => file.slice('client/src/'.length, -'.ts'.length));
  const built = sources.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
  assert.deepEqual(
    pluck(packed.files, 'path').toSorted(),
    ['LICENSE', 'README.md', 'package.json', ...built].toSorted(),
  );
});

test('it needs nothing else: no package, nothing of Node', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundledDependencies']) {
    assert.equal(manifest[kind], undefined, kind);
  }
  for (const file of globSync(join(installed, 'dist/**/*.js'))) {
    const text = readFileSync(file, 'utf8');
    for (const [, target = ''] of text.matchAll(/from '([^']+)'|import\('([^']+)'\)/g))
      assert.match(target, /^\.\.?\/.*\.js$/, file);
    assert.doesNotMatch(text, /\b(process|Buffer|require|__dirname|setImmediate)\b[.(]/, file);
  }
});

test('those who use it compile, strictly, and with other compilers’ settings', async () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `import { createPostern, guard, verifyWebhook, type AccessDecision, type Decision } from '@postern/client';
     const postern = createPostern({ url: 'https://a.example', key: 'k' });
     const decision: Decision & AccessDecision = await postern.checkAccess({ contentId: 'a' });
     for await (const { title } of postern.listContent({ limit: 1 })) title.toUpperCase();
     const app = guard({ url: 'https://a.example', key: 'k', content: ({ path }) => path });
     const response: Response = await app.fetch(() => new Response(decision.message))(new Request('https://a.example'));
     export default [response, await verifyWebhook('', {}, '')];`,
  );
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const strict = [
    ...words(`
    --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --lib es2024,dom,dom.iterable --target
    es2022 --types
  `),
    '',
  ];
  for (const module of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    await run(process.execPath, [tsc, ...strict, '--module', module[0], '--moduleResolution', module[1], 'use.ts'], {
      cwd: folder,
    });
  }
});

const blocks = [...readFileSync('client/README.md', 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(
  (match) => match[1] ?? '',
);
const env = {
  POSTERN_URL: postern.url,
  POSTERN_KEY: postern.key,
  PATH: process.env.PATH,
  HOME: folder,
  NO_COLOR: '1',
  DENO_NO_UPDATE_CHECK: '1',
};

test('the examples of the README do what they say', async () => {
  assert.equal(blocks.length, 4);
  for (const [i, block] of blocks.entries()) {
    let program = block;
    if (block.includes('export async function receive')) {
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      const body = '{"type":"content.created"}';
      const now = new Date();
      const signature = new Webhook(secret).sign('evt_1', now, body);
      program += `process.env.WEBHOOK_SECRET = '${secret}';
        await receive(new Request('https://a.example', { method: 'POST', body: '${body}', headers: {
          'webhook-id': 'evt_1', 'webhook-timestamp': '${Math.floor(now.getTime() / 1000)}', 'webhook-signature': '${signature}' } }));`;
    }
    const file = join(folder, `readme-${i}.js`);
    writeFileSync(file, program);
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: folder, env, timeout: 30_000 });
    assert.equal(stderr, '');
    // What is printed stands behind each `console.log`.
    const expected = [...block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) =>
      (match[1] ?? '').replaceAll("'", ''),
    );
    assert.deepEqual(stdout.trim().replaceAll("'", '').split('\n'), expected, block);
  }
});

/** Uses every part: asking, a list, a refusal, a guard, a webhook. Prints one line. */
const PROGRAM = `
const out = [];
const postern = createPostern({ url: URL_, key: KEY });
const policy = await postern.createPolicy({ name: NAME, rules: [{ action: 'allow', conditions: { requesterId: 'reader' } }] });
const externalId = 'runs in ' + NAME;
await postern.createContent({ externalId, title: 'ä', type: 'article', source: 'https://a.example/', policyId: policy.id, tags: [NAME] });
for await (const { title } of postern.listContent({ tag: NAME })) out.push(title);
out.push((await postern.checkAccess({ contentId: externalId, requesterId: 'reader' })).allowed);
out.push(await postern.getContent('nothing').catch((error) => error.code));
const { fetch: guarded } = guard({ url: URL_, key: KEY, content: () => externalId, requester: ({ header }) => header('x-who') });
const handle = guarded(() => new Response('text'));
for (const who of ['reader', 'other']) {
  const response = await handle(new Request('https://a.example/x', { headers: { 'x-who': who } }));
  out.push(response.status, response.headers.has('x-postern-decision'));
}
out.push((await verifyWebhook(BODY, HEADERS, SECRET)).type);
out.push(await verifyWebhook(BODY + ' ', HEADERS, SECRET).catch((error) => error.reason));
const stop = new AbortController();
setTimeout(() => stop.abort(), 20);
out.push(await postern.getContent('x', {}, { signal: stop.signal, timeoutMs: 1 }).catch((error) => error.name !== undefined));
`;
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const BODY = '{"type":"webhook.test"}';
const SENT_AT = new Date();
const HEADERS = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(SENT_AT.getTime() / 1000)),
  'webhook-signature': new Webhook(SECRET).sign('evt_1', SENT_AT, BODY),
};
const given = (name: string): string =>
  Object.entries({ URL_: postern.url, KEY: postern.key, NAME: name, SECRET, BODY, HEADERS })
    .map(([constant, value]) => `const ${constant} = ${JSON.stringify(value)};`)
    .join('\n');
const EXPECTED = ['ä', true, 'content_not_found', 200, true, 403, true, 'webhook.test', 'no_matching_signature', true];

describe('it works in', () => {
  const programFor = (name: string): string => {
    const file = join(folder, `in-${name}.mjs`);
    const head = "import { createPostern, guard, verifyWebhook } from '@postern/client';\n";
    writeFileSync(file, `${head}${given(name)}${PROGRAM}console.log(JSON.stringify(out));`);
    return file;
  };
  /**
   * An engine from its npm package; there is none for every platform, and what is not tried here is not skipped unseen.
   */
  const engine = (pattern: string): string => {
    const [found] = globSync(pattern);
    assert.ok(found !== undefined, `no binary for this platform: ${pattern}`);
    return resolve(found);
  };

  test('Node', async () => {
    const { stdout } = await run(process.execPath, [programFor('node')], { env, cwd: folder });
    assert.deepEqual(JSON.parse(stdout), EXPECTED);
  });

  test('Deno', async () => {
    const deno = engine('node_modules/@deno/*/deno{,.exe}');
    const args = ['run', '--allow-net=127.0.0.1', '--node-modules-dir=manual', '--no-prompt', programFor('deno')];
    const { stdout } = await run(deno, args, { env, cwd: folder });
    assert.deepEqual(JSON.parse(stdout), EXPECTED);
  });

  test('Bun', async () => {
    const bun = engine('node_modules/@oven/*/bin/bun{,.exe}');
    const { stdout } = await run(bun, ['run', programFor('bun')], { env, cwd: folder });
    assert.deepEqual(JSON.parse(stdout), EXPECTED);
  });

  test('an edge runtime, where there is nothing of Node', async () => {
    symlinkSync(resolve('node_modules/@edge-runtime'), join(folder, 'node_modules/@edge-runtime'));
    // As bundlers do for such runtimes: all of it in one script.
    const bun = engine('node_modules/@oven/*/bin/bun{,.exe}');
    await run(bun, ['build', '--target=browser', '--outfile=edge.js', programFor('edge')], { env, cwd: folder });
    const host = `import { EdgeVM } from '@edge-runtime/vm';
      import { readFileSync } from 'node:fs';
      const vm = new EdgeVM();
      const script = readFileSync('edge.js', 'utf8');
      vm.context.console = { log: (line) => console.log(line) };
      if (vm.evaluate('typeof process + typeof Buffer + typeof require') !== 'undefinedundefinedundefined') throw new Error('Node is here');
      await vm.evaluate('(async () => {' + script + '})()');`;
    writeFileSync(join(folder, 'host.mjs'), host);
    const { stdout } = await run(process.execPath, ['host.mjs'], { env, cwd: folder });
    assert.deepEqual(JSON.parse(stdout), EXPECTED);
  });
});
