/** The real process: settings, the first start, health, the API's own document, and a clean end. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { assertBackgroundWorked } from '../../../kit/background.ts';
import { compileCache } from '../../../kit/compile-cache.ts';
import { programFile, SOURCE } from '../../../kit/programs.ts';
import { databaseSettings, startTestService } from '../../../kit/service.ts';
import { newKeyText } from '../../../src/api/keys/key.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-process-'));
const runs = new Set<Run>();
after(() => {
  for (const { child } of runs) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
  for (const { err } of runs) assertBackgroundWorked(err());
});

interface Run {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  ended: Promise<number | null>;
  ready: Promise<string>;
}

/** Its output, its end, and `ready`: the address it answers on, as soon as it says so. */
function run(env: Record<string, string | undefined>, main = programFile('main')): Run {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...compileCache(), POSTERN_PORT: '0', ...env },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const ready = new Promise<string>((done, refuse) => {
    const look = () => {
      // Not the line that says it listens: it is ready a little later.
      const address = /"address":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(err)?.[1];
      if (address !== undefined) done(address);
    };
    child.stdout?.on('data', (chunk) => ((out += chunk), look()));
    child.stderr?.on('data', (chunk) => ((err += chunk), look()));
    void ended.then((code) => refuse(new Error(`ended with ${code} before it was ready: ${out}${err}`)));
  });
  ready.catch(() => undefined);
  const started = { child, out: () => out, err: () => err, ended, ready };
  runs.add(started);
  return started;
}

/** Waits for what another process does; there is nothing to subscribe to. */
async function until(holds: () => boolean | Promise<boolean>, { child }: Run): Promise<void> {
  while (!(await holds())) {
    assert.equal(child.exitCode ?? child.signalCode, null, 'it has ended');
    await setImmediate();
  }
}

/** A data directory, and a database of its own where the engine needs one. */
async function place(): Promise<Record<string, string>> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  return { POSTERN_DATA_DIR: dataDir, ...(await databaseSettings(dataDir)) };
}

describe('settings', () => {
  test('all faults are listed at once, and it does not start', async () => {
    const { ended, out, err } = run({
      ...(await place()),
      POSTERN_PORT: '99999',
      POSTERN_LOG_LEVEL: 'loud',
      POSTERN_MEMORY: '12',
      POSTERN_TRUSTED_PROXIES: '10.0.0.0/99',
      POSTERN_BOOTSTRAP_KEY: 'password',
      POSTERN_DATABASE_URL: 'mysql://x',
    });
    assert.notEqual(await ended, 0);
    for (const name of ['PORT', 'LOG_LEVEL', 'MEMORY', 'TRUSTED_PROXIES', 'BOOTSTRAP_KEY', 'DATABASE_URL']) {
      assert.ok((out() + err()).includes(`POSTERN_${name}`), `${name}: ${err()}`);
    }
  });
  for (const [name, value] of [
    ['POSTERN_LOG_FORMAT', 'pretty'],
    ['POSTERN_PORT', 'abc'],
    ['POSTERN_PORT', '-1'],
    ['POSTERN_PORT', '65536'],
    ['POSTERN_PORT', '80.5'],
    ['POSTERN_TRUSTED_PROXIES', '10.1'],
    ['POSTERN_TRUSTED_PROXIES', '010.0.0.1'],
    ['POSTERN_TRUSTED_PROXIES', 'true'],
    ['POSTERN_BOOTSTRAP_KEY', 'password'],
    ['POSTERN_BOOTSTRAP_KEY_FILE', '/does/not/exist'],
  ] as const) {
    test(`${name}=${value} is refused`, async () => {
      const start = async () => {
        const started = await startTestService({ env: { [name]: value } });
        await started[Symbol.asyncDispose]();
      };
      await assert.rejects(start, new RegExp(name.replace('_FILE', '')));
    });
  }
  test('a key that is too short is told what a key has', async () => {
    const start = () => startTestService({ env: { POSTERN_BOOTSTRAP_KEY: 'svc_sk_a_b' } });
    await assert.rejects(start, /32 to 128 letters, digits or underscores/);
  });
  test('each also as _FILE', async () => {
    const first = await startTestService();
    const key = first.key;
    await first[Symbol.asyncDispose]();
    const file = join(root, 'key');
    writeFileSync(file, `${key}\n`);
    await using postern = await startTestService({ env: { POSTERN_BOOTSTRAP_KEY_FILE: file } });
    assert.equal((await postern.call('GET', '/v1/content', { key })).status, 200);
    assert.equal((await postern.call('GET', '/v1/api-keys', { key })).body.totalCount, 1);
  });
});

describe('a second start', () => {
  test('compiles nothing that the first one compiled', async () => {
    const folder = mkdtempSync(join(root, 'cache-'));
    // Node.js reports what it looks for in its cache, which it keeps below the folder for temporary files.
    const cache = { NODE_COMPILE_CACHE: undefined, TMPDIR: folder, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const compiled = async (): Promise<string[]> => {
      const started = run({ ...(await place()), ...cache }, SOURCE);
      await started.ready;
      started.child.kill('SIGTERM');
      await started.ended;
      return [...started.err().matchAll(/no transpile cache for \w+ (\S+)/g)].map(([, file = '']) => file);
    };
    assert.ok((await compiled()).length > 100);
    assert.deepEqual(await compiled(), []);
  });
});

describe('a first start', () => {
  test('prints a request that works as it is, with a key from a file and with one of its own', async () => {
    const file = join(root, "operator's key");
    writeFileSync(file, `${newKeyText('secret')}\n`);
    for (const chosen of [{ POSTERN_BOOTSTRAP_KEY_FILE: file }, {}] as Record<string, string>[]) {
      const first = run({ ...(await place()), ...chosen });
      const address = await first.ready;
      await until(() => first.out().includes('The API:'), first);
      const request = /^ {2}curl -s \S+\/v1\/content (?:.*\n)*?(?= {2}curl)/m.exec(first.out())?.[0] ?? '';
      const { stdout } = spawnSync('sh', ['-c', request], { encoding: 'utf8', env: { PATH: process.env.PATH } });
      assert.equal(JSON.parse(stdout).externalId, 'hello', first.out());
      assert.match(first.out(), new RegExp(`The console, in a browser: ${address}\\n`));
      const another = 'Another link: npx postern console link';
      assert.equal(first.out().includes(another), first.out().includes('/console#link='), first.out());
      assert.ok(first.out().includes('npx postern console link'));
      first.child.kill();
      await first.ended;
    }
  });

  test('nobody else may read what it writes, also into a folder that was there before', async () => {
    const dataDir = mkdtempSync(join(root, 'data-'));
    chmodSync(dataDir, 0o755);
    const umask = process.umask(0o022);
    const first = run({ POSTERN_DATA_DIR: dataDir, ...(await databaseSettings(dataDir)) });
    process.umask(umask);
    await first.ready;
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    assert.ok(files.length > 1);
    for (const name of files) assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, name);
    first.child.kill();
    await first.ended;
  });
});

describe('the log', () => {
  test('is JSON in a pipe, and lines for people where they are asked for', async () => {
    for (const format of ['auto', 'json', 'text']) {
      const first = run({ ...(await place()), POSTERN_LOG_FORMAT: format });
      if (format === 'text') {
        await until(() => /^\d\d:\d\d:\d\d INFO {2}ready address=http:\/\/127\.0\.0\.1:\d+$/m.test(first.err()), first);
      } else {
        await first.ready;
        for (const line of first.err().trim().split('\n')) assert.equal(typeof JSON.parse(line).level, 'number');
      }
      first.child.kill();
      await first.ended;
    }
  });
});

describe('a start that cannot succeed ends with a sentence that names what to change, not with a stack', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  for (const [what, env, sentence] of [
    ['an address that is not ours', { POSTERN_HOST: '192.0.2.1' }, /POSTERN_HOST.*192\.0\.2\.1/],
    ['a name that is none', { POSTERN_HOST: 'no-such-host.invalid' }, /POSTERN_HOST.*no-such-host\.invalid/],
    ['a data folder that is a file', { POSTERN_DATA_DIR: file }, /POSTERN_DATA_DIR.*file/],
    ['a data folder below a file', { POSTERN_DATA_DIR: join(file, 'a') }, /POSTERN_DATA_DIR.*file/],
    [
      'a database that nobody answers for',
      { POSTERN_DATABASE_URL: 'postgres://user:pass-word@127.0.0.1:1/db' },
      /POSTERN_DATABASE_URL.*ECONNREFUSED/,
    ],
    [
      'a database at a name that is none',
      { POSTERN_DATABASE_URL: 'postgres://user:pass-word@no-such-host.invalid/db' },
      /POSTERN_DATABASE_URL.*no-such-host\.invalid/,
    ],
  ] as const) {
    test(what, async () => {
      const { ended, err } = run({ ...(await place()), ...env });
      assert.equal(await ended, 1);
      assert.match(err(), sentence);
      assert.doesNotMatch(err(), /^ {4}at /m);
      assert.doesNotMatch(err(), /pass-word/);
    });
  }
  test('a misspelt setting beside a wrong one, which ends it with 2', async () => {
    const { ended, err } = run({ ...(await place()), POSTERN_PRT: '1', POSTERN_PORT: 'x' });
    assert.equal(await ended, 2);
    assert.match(err(), /POSTERN_PRT.*POSTERN_PORT\?/);
    assert.doesNotMatch(err(), /^ {4}at /m);
  });
  test('a port that is taken', async () => {
    const first = run(await place());
    const { port } = new URL(await first.ready);
    const second = run({ ...(await place()), POSTERN_PORT: port });
    assert.equal(await second.ended, 1);
    assert.match(second.err(), new RegExp(`${port} is taken`));
    first.child.kill('SIGTERM');
    await first.ended;
  });
});

describe('the process', () => {
  test('prints its first key once with requests that work, then never again; SIGTERM ends it with 0', async () => {
    const data = await place();
    const first = run(data);
    const address = await first.ready;
    await until(() => /svc_sk_\w{49}/.test(first.out()) && first.out().includes('/v1/access/check'), first);
    const key = /svc_sk_[0-9A-Za-z]{49}/.exec(first.out())?.[0] ?? '';
    assert.ok(first.out().includes('curl'));
    assert.ok(!first.err().includes(key), 'not in the log');
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${address}/v1/content`, { headers })).status, 200);
    const [, printed = '', link = ''] = /(http\S+)\/console#link=([\w-]{43})/.exec(first.out()) ?? [];
    assert.equal(printed, address);
    const signIn = () =>
      fetch(`${address}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-postern-console': '1' },
        body: JSON.stringify({ link }),
      });
    const signedIn = (await (await signIn()).json()) as { user: { name: string; role: string } };
    assert.deepEqual([signedIn.user.name, signedIn.user.role], ['Operator', 'admin']);
    assert.equal((await signIn()).status, 401, 'once');
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);

    const second = run(data);
    const again = await second.ready;
    assert.equal((await fetch(`${again}/v1/content`, { headers })).status, 200);
    second.child.kill('SIGTERM');
    assert.equal(await second.ended, 0);
    assert.ok(!/svc_sk_|#link=/.test(second.out() + second.err()));
  });

  test('refuses a data directory that another process holds, and leaves that one unharmed', async () => {
    const data = await place();
    const first = run(data);
    const address = await first.ready;
    const second = run(data);
    assert.notEqual(await second.ended, 0);
    assert.ok((second.out() + second.err()).length > 0);
    assert.equal((await fetch(`${address}/readyz`)).status, 200);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = run(data);
    assert.equal((await fetch(`${await third.ready}/readyz`)).status, 200);
    third.child.kill('SIGTERM');
    assert.equal(await third.ended, 0);
  });

  test('SIGTERM finishes what is in flight, and a client that keeps its connection open does not hold it up', async () => {
    const data = await place();
    const first = run(data);
    const { port } = new URL(await first.ready);
    await until(() => /svc_sk_\w{49}/.test(first.out()), first);
    const key = /svc_sk_[0-9A-Za-z]{49}/.exec(first.out())?.[0] ?? '';
    const body = JSON.stringify({ externalId: 'late', title: 'x', type: 'article', source: 'https://a.b' });
    let got = '';
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The service has the head of the request now; it receives the signal to stop before the body.
    await until(() => got.includes('100 Continue'), first);
    socket.write(body.slice(0, 10));
    first.child.kill('SIGTERM');
    await until(() => /stopping/.test(first.err()), first);
    socket.write(body.slice(10));
    const code = await first.ended;
    socket.destroy();
    assert.match(got, /HTTP\/1\.1 201 /);
    assert.equal(code, 0, first.err());

    const second = run(data);
    const kept = await fetch(`${await second.ready}/v1/content/late`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(kept.status, 200);
    second.child.kill('SIGTERM');
    await second.ended;
  });

  test('SIGTERM in the moment it becomes ready ends it with 0 too', async () => {
    const data = await place();
    for (let round = 0; round < 5; round++) {
      const one = run(data);
      const address = await one.ready;
      await until(
        () =>
          fetch(`${address}/readyz`).then(
            (got) => got.status === 200,
            () => false,
          ),
        one,
      );
      one.child.kill('SIGTERM');
      assert.equal(await one.ended, 0, `round ${round}: ${one.child.signalCode}`);
    }
  });
});

describe('health and documents', () => {
  test('need no key and show no secret', async () => {
    await using postern = await startTestService();
    await postern.call('GET', '/v1/content');
    const metrics = await postern.call('GET', '/metrics', { key: null });
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(metrics.text, /^# TYPE \w+ (counter|gauge|histogram|summary)$/m);
    const openapi = await postern.call('GET', '/openapi.json', { key: null });
    assert.match(openapi.body.openapi, /^3\.1\./);
    const docs = await postern.call('GET', '/docs', { key: null });
    assert.match(docs.headers.get('content-type') ?? '', /^text\/html/);
    for (const path of ['/livez', '/readyz'])
      assert.equal((await postern.call('GET', path, { key: null })).status, 200);
  });
  test('every reference in the document leads somewhere', async () => {
    await using postern = await startTestService();
    const { body, text } = await postern.call('GET', '/openapi.json');
    for (const [, ref = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
      assert.ok(ref.startsWith('#/'), ref);
      let target = body;
      for (const key of ref.slice(2).split('/')) target = target?.[decodeURIComponent(key)];
      assert.ok(target !== undefined, ref);
    }
  });
  test('every operation under /v1 says that it needs a key', async () => {
    await using postern = await startTestService();
    const { body } = await postern.call('GET', '/openapi.json');
    for (const [path, methods] of Object.entries(
      body.paths as Record<string, Record<string, { security?: unknown[] }>>,
    )) {
      if (!path.startsWith('/v1/')) continue;
      for (const [method, one] of Object.entries(methods))
        assert.ok((one.security?.length ?? 0) > 0, `${method} ${path}`);
    }
  });
});
