/** A first set-up leads to a service that runs and is found healthy; doctor says what is wrong; shells can complete. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { TEMPLATES } from '../../src/policies/templates.ts';
import { command, startCommand } from '../support/command.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

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
    assert.match(stderr, /postern serve --env-file postern\.env/);
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
    assert.match(doctor.stdout, /✓ service +http.* takes requests\n✓ key +is valid/);
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
    assert.match(stderr, /postern\.key here already/);
    assert.equal(readFileSync(join(cwd, 'postern.key'), 'utf8'), 'mine');
    assert.throws(() => statSync(join(cwd, 'postern.env')));
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
    assert.match(limited.stdout, /! key +is valid; /);
  });

  test('--health is 0 only while the service takes requests', async () => {
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
        [`${url}/busy`, /takes no requests/],
        ['http://127.0.0.1:1', /nobody answers/],
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

describe('completion', () => {
  const has = (shell: string): false | string =>
    spawnSync(shell, ['-c', 'true']).error === undefined ? false : `there is no ${shell} here`;

  test('bash completes commands, options and choices', { skip: has('bash') }, async () => {
    const { status, stdout } = await command(['completion', 'bash']);
    assert.equal(status, 0);
    writeFileSync(join(folder, 'completion.bash'), stdout);
    const complete = (...words: string[]): string[] => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const script = `set -euo pipefail; . ./completion.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout: out, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
      assert.equal(stderr, '');
      return out.trim().split('\n');
    };
    assert.deepEqual(complete('postern', 'po'), ['policies']);
    assert.deepEqual(complete('postern', 'policies', 'r'), ['rollback']);
    assert.deepEqual(complete('postern', '--json', 'content', 'import', '--dr'), ['--dry-run']);
    assert.deepEqual(complete('postern', 'completion', 'f'), ['fish']);
    assert.deepEqual(complete('postern', 'content', 'import', 'completion.b'), ['completion.bash']);
  });

  for (const shell of ['zsh', 'fish']) {
    test(`${shell} takes its script`, { skip: has(shell) }, async () => {
      const { stdout } = await command(['completion', shell]);
      writeFileSync(join(folder, `completion.${shell}`), stdout);
      const { stderr, status } = spawnSync(shell, ['-n', `completion.${shell}`], { cwd: folder, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }
});
