/** Promises of every command: its help, its exit status, where it writes and where its key comes from. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Command } from 'commander';
import { command, commandHere, startCommand } from '../../../kit/command.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { cliDoc } from '../../../scripts/cli-doc.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { VERSION } from '../../../src/lib/version.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-command-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
await postern.call('POST', '/v1/content', {
  body: { externalId: 'tides', title: 'Tides', type: 'article', source: 'https://example.com/tides' },
});

const listed = (parent: Command, path: string[] = []): string[][] =>
  parent.commands.flatMap((one) => {
    const here = [...path, one.name()];
    return one.commands.length > 0 ? listed(one, here) : [here];
  });
const ALL = listed(
  buildProgram({ terminal: { width: 100, env: {} } as never, serve: async () => undefined, ended: () => undefined }),
);

test('the page of the package has the help of every command', () => {
  const page = cliDoc();
  for (const path of ALL) {
    assert.match(page, new RegExp(`\n##+ postern ${path.join(' ')}\n\n\`\`\`text\nExamples:\n`));
  }
});

test('every command has help that begins with examples of itself', async () => {
  assert.ok(ALL.length > 20, ALL.join());
  for (const path of ALL) {
    const { status, stdout, stderr } = await commandHere([...path, '--help']);
    assert.deepEqual([status, stderr], [0, ''], path.join(' '));
    const [first, second, ...rest] = stdout.split('\n');
    assert.equal(first, 'Examples:', path.join(' '));
    assert.match(second ?? '', new RegExp(`postern ${path.join(' ')}`));
    assert.ok(rest.some((line) => line.startsWith(`Usage: postern ${path.join(' ')}`)));
    assert.doesNotMatch(stdout, /--(?:key|secret|password|token)\b/, 'no secret by flag');
  }
});

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(VERSION, version);
  assert.deepEqual(await command(['--version']), { status: 0, stdout: `${version}\n`, stderr: '' });
});

describe('how it ends', () => {
  const check = (id: string, more: object = {}) => command(['check', id, '--dry-run'], { env, ...more });

  test('2 and nothing on stdout for a command line that cannot be', async () => {
    for (const args of [
      [],
      ['chek'],
      ['check'],
      ['check', 'a', 'b'],
      ['check', '--nonsense', 'a'],
      ['usage', '--period', '8d'],
    ]) {
      const { status, stdout, stderr } = await commandHere(args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.notEqual(stderr, '');
    }
    assert.match((await commandHere(['chek'])).stderr, /Did you mean check\?/);
  });

  test('3 for a check that is denied, 0 for one that is allowed', async () => {
    const denied = await check('tides');
    assert.equal(denied.status, 3);
    assert.match(denied.stdout, /^✗ denied: policy_denied\n/);
    const body = { rules: [{ action: 'allow' }] };
    const { body: policy } = await postern.call('POST', '/v1/policies', { body: { name: 'Open', ...body } });
    await postern.call('PATCH', '/v1/content/tides', { body: { policyId: policy.id } });
    const allowed = await check('tides');
    assert.equal(allowed.status, 0);
    assert.match(allowed.stdout, /^✓ allowed\n/);
  });

  test('1 with the words of the service for what it refuses', async () => {
    const { status, stdout, stderr } = await check('nothing');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^content_not_found: .*nothing.*\n {2}\(req_[\w-]+\)\n$/);
    const wrong = await command(['check', 'tides'], { env: { ...env, POSTERN_KEY: 'svc_sk_wrong' } });
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /^invalid_api_key: /);
  });

  test('1 when there is no answer, in a sentence that names the setting', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as { port: number };
    await new Promise((closed) => server.close(closed));
    const { status, stdout, stderr } = await check('tides', {
      env: { ...env, POSTERN_URL: `http://127.0.0.1:${port}` },
    });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^No answer from http.*ECONNREFUSED.*POSTERN_URL/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  test('130 for Ctrl-C', async () => {
    const { child, written, ended } = startCommand(['decisions', 'tail', '--json'], { env });
    await postern.call('POST', '/v1/access/check', { body: { contentId: 'tides', requesterId: 'the-one' } });
    await until('the decision is shown', () => written.stdout.includes('the-one'));
    child.kill('SIGINT');
    const { status, stderr } = await ended;
    assert.deepEqual([status, stderr], [130, '']);
  });

  test('quietly when the reader of its output goes away', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => ({
      externalId: `many-${i}`,
      title: 'x'.repeat(400),
      type: 'article',
      source: 'https://example.com/x',
    }));
    await postern.call('POST', '/v1/content/bulk-upsert', { body: { items } });
    const { child, ended, written } = startCommand(['content', 'export'], { env });
    await until('it begins', () => written.stdout !== '');
    child.stdout?.destroy();
    const { status, stderr } = await ended;
    assert.deepEqual([status, stderr], [0, '']);
  });
});

describe('a service that is away or busy for a moment', () => {
  /** Starts a server in front of the service. `meet` answers a request itself, or calls `pass` to hand it on. */
  async function stand(meet: (attempt: number, response: ServerResponse, pass: () => Promise<void>) => Promise<void>) {
    let attempts = 0;
    const server = createHttpServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const headers = Object.fromEntries(
        ['authorization', 'content-type', 'idempotency-key'].map((name) => [name, String(request.headers[name] ?? '')]),
      );
      await meet(++attempts, response, async () => {
        const answer = await fetch(postern.url + request.url, { method: request.method ?? 'GET', headers, body });
        const text = await answer.text();
        if (!response.destroyed) response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      attempts: () => attempts,
      [Symbol.asyncDispose]: () => new Promise<void>((closed) => void server.close(() => closed())),
    };
  }
  before(() => postern.call('POST', '/v1/requesters', { body: { id: 'somebody' } }));
  const licenses = async (): Promise<number> => (await postern.call('GET', '/v1/licenses')).body.totalCount;
  const give = (url: string) =>
    command(['licenses', 'create', 'somebody', '--type', 'research'], { env: { ...env, POSTERN_URL: url } });

  test('an answer that is lost on the way: asked again, done once', async () => {
    const there = await licenses();
    await using proxy = await stand(async (attempt, response, pass) => {
      // Once it is served: a request that is served still is asked for again more than once.
      if (attempt === 1) response.writeHead = () => response.destroy();
      await pass();
    });
    const { status, stdout, stderr } = await give(proxy.url);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^lic_/);
    assert.deepEqual([proxy.attempts(), await licenses()], [2, there + 1]);
  });

  test('503: asked again after the time it names, and given up in the end', async () => {
    await using proxy = await stand(async (attempt, response, pass) => {
      if (attempt > 2) await pass();
      else response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' }).end('{}');
    });
    assert.equal((await give(proxy.url)).status, 0);
    assert.equal(proxy.attempts(), 3);
    await using never = await stand(async (_attempt, response) => {
      const error = { code: 'service_unavailable', message: 'Not now.', type: 'api_error', requestId: 'req_1' };
      response
        .writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' })
        .end(JSON.stringify({ error }));
    });
    const { status, stderr } = await give(never.url);
    assert.deepEqual([status, stderr], [1, 'service_unavailable: Not now.\n  (req_1)\n']);
    assert.equal(never.attempts(), 5);
  });

  test('what answers is not Postern', async () => {
    await using other = await stand(async (_attempt, response) => void response.end('<html>hello</html>'));
    const { status, stderr } = await give(other.url);
    assert.equal(status, 1);
    assert.match(stderr, /not Postern's \(HTTP 200\)/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
});

describe('where it writes', () => {
  test('--json is one JSON document on stdout and nothing else', async () => {
    for (const args of [
      ['check', 'tides', '--dry-run'],
      ['content', 'list'],
      ['policies', 'list'],
      ['keys', 'list'],
      ['usage'],
      ['doctor'],
    ]) {
      const { stdout } = await command([...args, '--json'], { env });
      assert.doesNotThrow(() => JSON.parse(stdout), args.join(' '));
    }
  });

  test('color where there is a terminal, and none with NO_COLOR', async () => {
    const check = ['check', 'tides', '--dry-run'];
    const world = { env, width: 100 };
    assert.ok((await commandHere(check, { ...world, color: true })).stdout.includes('\x1b['));
    for (const more of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '1' }]) {
      assert.ok(!(await command(check, { env: { ...env, ...more } })).stdout.includes('\x1b['));
    }
  });

  test('titles and messages of others do not command the terminal', async () => {
    await postern.call('POST', '/v1/content', {
      body: {
        externalId: 'evil',
        title: 'a\u202eb\u009b2Jc\x1b[2J',
        type: 'article',
        source: 'https://example.com/evil',
      },
    });
    const { stdout } = await command(['content', 'list', '--search', 'a'], { env });
    assert.match(stdout, /evil/);
    for (const one of ['\x1b', '\x9b', '\u202e']) assert.ok(!stdout.includes(one));
  });
});

describe('the key', () => {
  const listing = ['content', 'list', '--limit', '1', '--json'];
  test('comes from the environment, a file, or a file of variables; the environment wins', async () => {
    writeFileSync(join(folder, 'key'), `${postern.key}\n`);
    writeFileSync(
      join(folder, 'variables.env'),
      `POSTERN_URL=${postern.url}\nPOSTERN_KEY_FILE=${join(folder, 'key')}\n`,
    );
    const file = join(folder, 'variables.env');
    for (const one of [
      env,
      { POSTERN_URL: postern.url, POSTERN_KEY_FILE: join(folder, 'key') },
      { POSTERN_ENV_FILE: file },
    ]) {
      assert.equal((await command(listing, { env: one })).status, 0);
    }
    assert.equal((await command([...listing, '--env-file', file])).status, 0);
    const other = await command([...listing, '--env-file', file], { env: { POSTERN_KEY: 'svc_sk_other' } });
    assert.equal(other.status, 1);
    assert.match(other.stderr, /API key/);
    const away = await command([...listing, '--env-file', file], { env: { POSTERN_URL: 'http://127.0.0.1:1' } });
    assert.match(away.stderr, /No answer from http:\/\/127\.0\.0\.1:1 /);
  });

  test('is asked for by name when there is none, without a service being asked', async () => {
    for (const one of [
      {},
      { POSTERN_KEY: 'a', POSTERN_KEY_FILE: 'b' },
      { POSTERN_KEY_FILE: '/nowhere' },
      { POSTERN_KEY: 'svc_sk_secret\nb' },
      { POSTERN_KEY: 'svc_sk_secret…' },
    ]) {
      const { status, stderr } = await command(listing, { env: { POSTERN_URL: 'http://127.0.0.1:1', ...one } });
      assert.equal(status, 2);
      assert.match(stderr, /POSTERN_KEY/);
      assert.doesNotMatch(stderr, /secret/);
    }
  });
});
