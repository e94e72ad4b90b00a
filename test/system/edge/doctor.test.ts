/**
 * `postern doctor URL` in front of an adapter, or of a guard in a server: it says how that is set up, and whether it
 * reaches Postern.
 */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { after, describe, test } from 'node:test';
import { openSite } from '../../../client/src/edge/site.ts';
import { command } from '../../../kit/command.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { openServing, TEXT, webServer } from '../../client/serving.ts';
import { assertStatus, made, makeKey, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const unused = await freePort();
const key = await makeKey(postern, { permissions: ['access:check'] });

async function startSite(settings: Record<string, string>) {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const own = { POSTERN_URL: postern.url, POSTERN_KEY: key, POSTERN_ORIGIN: `http://${host}` };
  const site = openSite({ ...own, POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny', ...settings });
  const server = webServer((request) => site.handle(request, {}, () => new Response('none', { status: 404 })));
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return { host, url: `http://${host}/news/`, [Symbol.asyncDispose]: async () => void server.close() };
}

interface Finding {
  what: string;
  state: string;
  says: string;
}
async function doctor(url: string, as = postern.key): Promise<{ status: number | null; findings: Finding[] }> {
  const env = { POSTERN_URL: postern.url, POSTERN_KEY: as };
  const { status, stdout, stderr } = await command(['doctor', url, '--json'], { env });
  assert.notEqual(stdout, '', stderr);
  return { status, findings: JSON.parse(stdout) };
}
const statesOf = (findings: readonly Finding[]) => findings.map(({ what, state }) => `${what} ${state}`).join(', ');

describe('an adapter', () => {
  test('that works', async () => {
    await using site = await startSite({});
    for (const as of [postern.key, key]) {
      const { status, findings } = await doctor(site.url, as);
      const expected = 'service good, adapter good, mode good, ask good, onError good, reach good';
      assert.deepEqual([status, statesOf(findings)], [0, expected]);
      assert.match(findings[1]?.says ?? '', /^edge, version 0\.1\.0$/);
    }
  });

  for (const [name, settings, what, says, expected] of [
    ['that observes', { POSTERN_MODE: 'observe' }, 'mode note', /everything is served, and Postern is asked/, 0],
    ['that is off', { POSTERN_MODE: 'off' }, 'mode bad', /nothing is asked/, 1],
    [
      'that cannot reach Postern',
      { POSTERN_URL: `http://127.0.0.1:${unused}` },
      'reach bad',
      /could not be reached.*ECONNREFUSED/,
      1,
    ],
  ] as const) {
    test(name, async () => {
      await using site = await startSite(settings);
      const { status, findings } = await doctor(site.url);
      const found = findings.filter(({ state }) => state !== 'good');
      assert.deepEqual([status, statesOf(found)], [expected, what]);
      assert.match(found[0]?.says ?? '', says);
    });
  }

  test('whose key was revoked shows nothing, as one of another host', async () => {
    const id = (await postern.call('GET', '/v1/api-keys')).body.data.find(
      (one: { name: string }) => one.name === 'k',
    ).id;
    await using other = await startSite({ POSTERN_ORIGIN: 'https://www.example.com' });
    assert.match((await doctor(other.url)).findings[1]?.says ?? '', /An adapter in front would have answered,/);
    await using site = await startSite({});
    assertStatus(await postern.call('DELETE', `/v1/api-keys/${id}`), 200);
    assert.equal(statesOf((await doctor(site.url)).findings), 'service good, site bad');
  });
});

describe('a guard', async () => {
  const serving = openServing();
  after(() => serving[Symbol.asyncDispose]());
  const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
  await made(postern, '/v1/collections', { name: 'all', paths: ['/'], policyId });
  const count = async (): Promise<number> => (await postern.call('GET', '/v1/access/decisions')).body.totalCount;

  for (const [name, start] of Object.entries(serving.servers)) {
    test(`of ${name} answers like an adapter, and no decision is made for it`, async () => {
      const url = await start({ url: postern.url, key: postern.key, content: 'url', timeoutMs: 20_000 });
      const before = await count();
      const { status, findings } = await doctor(`${url}/news/`);
      const expected = 'service good, adapter good, mode good, ask good, onError good, reach good';
      assert.deepEqual([status, statesOf(findings)], [0, expected]);
      assert.match(findings[1]?.says ?? '', /^guard, version 0\.1\.0$/);
      assert.equal(await count(), before);
      // Without a proof, the site itself answers.
      assert.equal(await (await fetch(`${url}/.well-known/postern?proof=1.00`)).text(), TEXT);
    });
  }

  test('answers a host that no URL can have like any other request', async () => {
    const { Express: start } = serving.servers;
    const url = new URL(await (start as NonNullable<typeof start>)({ url: postern.url, key: 'k', content: 'url' }));
    const headers = { host: 'a b' };
    const { statusCode } = await new Promise<IncomingMessage>((done, fail) =>
      get({ port: url.port, path: '/.well-known/postern?proof=1.00', headers }, done).on('error', fail),
    );
    assert.equal(statusCode, 503);
  });
});

describe('a proof', () => {
  const prove = async (as: string): Promise<string[]> => {
    const answer = await postern.call('POST', '/v1/proxy-probes', { body: { host: 'site.example' }, key: as });
    assertStatus(answer, 201);
    assert.equal((await postern.call('GET', `/v1/proxy-probes/${answer.body.id}`)).body.adapterProof, null);
    return answer.body.adapterProof.split('.').slice(1);
  };

  test('is of the own key, and of others only for a key that manages them', async () => {
    const asking = await makeKey(postern, { permissions: ['access:check'] });
    const managing = await makeKey(postern, { permissions: ['access:check', 'api_keys:manage'] });
    await makeKey(postern, { permissions: ['content:write'] });
    await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const [own] = await prove(asking);
    assert.equal((await prove(asking)).length, 1);
    const all = await prove(managing);
    // The first key, this one and the other; neither the public one nor the one that may not ask.
    assert.equal(all.length, 3);
    assert.ok(own !== undefined);
    assert.equal((await postern.call('POST', '/v1/proxy-probes')).body.adapterProof, null);
    for (let i = 0; i < 20; i++) await makeKey(postern, { permissions: ['access:check'] });
    assert.equal((await prove(managing)).length, 16);
  });
});
