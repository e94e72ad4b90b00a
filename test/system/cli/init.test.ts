/** A first set-up leads to a service that runs and is found healthy; doctor says what is wrong. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { command, startCommand } from '../../../kit/command.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { TEMPLATES } from '../../../src/rules/templates.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-init-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const inside = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};

describe('init', () => {
  test('settings, a key nobody else can read, a policy; the service runs on them and doctor is content', async () => {
    const cwd = inside('first');
    const { status, stdout, stderr } = await command(
      ['init', '--yes', '--template', 'licensed_only', '--data-dir', './here'],
      { cwd },
    );
    assert.deepEqual([status, stdout], [0, '']);
    assert.match(stderr, /bin\/postern\.js serve --env-file postern\.env/);
    assert.match(stderr, /postern\.js collections create 'The site' .* --mode observe/);
    assert.equal(statSync(join(cwd, 'postern.key')).mode & 0o777, 0o600);
    const key = readFileSync(join(cwd, 'postern.key'), 'utf8').trim();
    assert.ok(!readFileSync(join(cwd, 'postern.env'), 'utf8').includes(key));
    assert.ok(!stderr.includes(key));

    // A free port in the place of 8080, which may be taken here.
    const env = { POSTERN_PORT: '0' };
    const { child, written, ended } = startCommand(['serve', '--env-file', 'postern.env'], { cwd, env });
    const url = await until('it answers', () => /answers on (http:\S+)/.exec(written.stdout)?.[1]);
    const there = { cwd, env: { ...env, POSTERN_ENV_FILE: 'postern.env', POSTERN_URL: url } };
    const doctor = await command(['doctor'], there);
    assert.equal(doctor.status, 0, doctor.stdout);
    assert.match(doctor.stdout, /✓ service +http.* is ready\n✓ key +is valid/);
    const tested = await command(['policies', 'test', 'policies/licensed-only.yaml'], there);
    assert.equal(tested.status, 0, tested.stdout);
    assert.equal((await command(['policies', 'apply', '--yes', 'policies/licensed-only.yaml'], there)).status, 0);
    assert.ok(statSync(join(cwd, 'here/postern.db')).size > 0);
    assert.doesNotMatch(written.stderr, /there is no setting/);
    child.kill('SIGTERM');
    assert.equal((await ended).status, 0);
  });

  test('writes nothing over what is there', async () => {
    const cwd = inside('again');
    writeFileSync(join(cwd, 'postern.key'), 'mine');
    const { status, stderr } = await command(['init', '--yes'], { cwd });
    assert.equal(status, 2);
    assert.match(stderr, /postern\.key already exists/);
    assert.equal(readFileSync(join(cwd, 'postern.key'), 'utf8'), 'mine');
    assert.throws(() => statSync(join(cwd, 'postern.env')));
  });

  test('adds the policy of a template to a folder that is set up, and changes nothing else', async () => {
    const cwd = inside('more');
    assert.equal((await command(['init', '--yes'], { cwd })).status, 0);
    const kept = ['postern.env', 'postern.key'].map((name) => readFileSync(join(cwd, name), 'utf8'));
    for (const args of [[], ['--yes']]) {
      const id = args.length === 0 ? 'licensed_only' : 'open_access';
      const { status, stderr } = await command(['init', '--template', id, ...args], { cwd });
      assert.equal(status, 0, stderr);
      const file = `policies/${id.replace('_', '-')}.yaml`;
      assert.match(stderr, new RegExp(`${file} is new`));
      assert.equal((await command(['policies', 'lint', file], { cwd })).status, 0);
      const again = await command(['init', '--template', id, ...args], { cwd });
      assert.equal(again.status, 2);
      assert.match(again.stderr, new RegExp(`${file} already exists`));
    }
    assert.deepEqual(
      ['postern.env', 'postern.key'].map((name) => readFileSync(join(cwd, name), 'utf8')),
      kept,
    );
    assert.equal((await command(['init', '--template', 'ai_crawlers'], { cwd })).status, 0);
    assert.match(readFileSync(join(cwd, 'policies/ai-crawlers.yaml'), 'utf8'), /^# Rule 2 has the address licensing@/);
    const settings = await command(['init', '--template', 'embargo', '--port', '9000'], { cwd });
    assert.equal(settings.status, 2);
    const plain = await command(['init', '--yes'], { cwd });
    assert.match(plain.stderr, /has been set up\. Add a policy with --template/);
  });

  test('writes nothing at all if the policy file is there', async () => {
    const cwd = inside('half');
    mkdirSync(join(cwd, 'policies'));
    writeFileSync(join(cwd, 'policies/licensed-only.yaml'), 'mine');
    assert.equal((await command(['init', '--yes', '--template', 'licensed_only'], { cwd })).status, 2);
    assert.throws(() => statSync(join(cwd, 'postern.key')));
    assert.equal(readFileSync(join(cwd, 'policies/licensed-only.yaml'), 'utf8'), 'mine');
  });

  test('offers every template, and refuses a port that is none', async () => {
    const { stdout } = await command(['init', '--help']);
    for (const { id } of TEMPLATES) assert.ok(stdout.includes(`"${id}"`), id);
    const { status } = await command(['init', '--yes', '--port', '80800'], { cwd: inside('port') });
    assert.equal(status, 2);
  });
});

describe('doctor', () => {
  test('says what is wrong with the settings, the folder, the service and the key, and ends with 1', async () => {
    await using postern = await startTestService();
    const settings = await command(['doctor'], {
      env: { POSTERN_PORT: 'x', POSTERN_URL: postern.url, POSTERN_KEY: 'svc_sk_wrong' },
    });
    assert.equal(settings.status, 1);
    assert.match(settings.stdout, /✗ settings +POSTERN_PORT: must be a port/);
    assert.match(settings.stdout, /✓ service[^]*✗ key +.*key/);
    const checker = (
      await postern.call('POST', '/v1/api-keys', { body: { name: 'c', type: 'secret', permissions: ['access:check'] } })
    ).body.key;
    const limited = await command(['doctor'], { cwd: folder, env: { POSTERN_URL: postern.url, POSTERN_KEY: checker } });
    assert.equal(limited.status, 0);
    assert.match(limited.stdout, /✓ key +is valid; may use access:check\n/);
    const all = await command(['doctor'], { cwd: folder, env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });
    assert.match(all.stdout, /✓ key +is valid; may use everything\n/);
    const elsewhere = await postern.call('POST', '/v1/api-keys', {
      body: { name: 'e', type: 'secret', allowedIps: ['192.0.2.1'] },
    });
    const env = { POSTERN_URL: postern.url, POSTERN_KEY: elsewhere.body.key as string };
    const refused = await command(['doctor'], { cwd: folder, env });
    assert.equal(refused.status, 1);
    assert.match(refused.stdout, /✗ key +This API key may not be used from /);
    for (const path of ['/v1/content', '/v1/policies', '/v1/access/decisions']) {
      const { body } = await postern.call('GET', path);
      // The default policy alone.
      assert.equal(body.totalCount, path === '/v1/policies' ? 1 : 0, path);
    }
  });

  test('--health is 0 only while the service is ready', async () => {
    await using postern = await startTestService();
    const health = (url: string) => command(['doctor', '--health'], { env: { POSTERN_URL: url } });
    assert.equal((await health(postern.url)).status, 0);
    const other = createServer((request, response) => {
      response.writeHead(request.url === '/busy/readyz' ? 503 : 200).end('hello');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      for (const [one, says] of [
        [url, /is not Postern/],
        [`${url}/busy`, /is running but not ready/],
        ['http://127.0.0.1:1', /no answer from/],
      ] as const) {
        const { status, stdout } = await health(one);
        assert.equal(status, 1);
        assert.match(stdout, says);
      }
    } finally {
      other.close();
    }
  });
});
