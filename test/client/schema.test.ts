/** openapi.json and the client match the API: every operation has a method that calls it, and the types are current. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createPostern } from '../../client/src/index.ts';
import { startTestService } from '../../kit/service.ts';
import { generate } from '../../scripts/openapi.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const { body: document } = await postern.call('GET', '/openapi.json', { key: null });

test('what was generated is up to date', () => {
  for (const [path, text] of Object.entries(generate(document))) {
    assert.ok(readFileSync(path, 'utf8') === text, `run: npm exec -- node scripts/openapi.ts (${path})`);
  }
});

test('every operation has a method that asks for it', async () => {
  const asked: string[] = [];
  const client = createPostern({
    url: 'https://postern.example',
    key: 'k',
    retries: 0,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      asked.push(`${init?.method} ${pathname}`);
      return new Response('{"data":[],"nextCursor":null}', { headers: { 'x-postern-allowed': 'true' } });
    },
  }) as unknown as Record<string, (...args: unknown[]) => PromiseLike<unknown> & AsyncIterable<unknown>>;

  const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => ({ method, path, operationId })),
  );
  assert.ok(operations.length > 50);
  for (const { method, path, operationId } of operations) {
    const parts = [...path.matchAll(/\{\w+\}/g)].map((_, i) => `part ${i}/ä`);
    const call = client[operationId];
    assert.ok(call !== undefined, operationId);
    if (operationId === 'streamEvents') {
      // The stream continues until it is aborted.
      const stop = new AbortController();
      setImmediate(() => stop.abort());
      await assert.rejects(call({}, { signal: stop.signal })[Symbol.asyncIterator]().next());
    } else await call(...parts, {});
    let expected = path;
    for (const part of parts) expected = expected.replace(/\{\w+\}/, encodeURIComponent(part));
    assert.equal(asked.at(-1), `${method.toUpperCase()} ${expected}`, operationId);
  }
});

test('types say what goes in and what comes out', async () => {
  const client = createPostern({ url: postern.url, key: postern.key });
  const policy = await client.createPolicy({
    name: 'Open',
    rules: [{ action: 'allow', conditions: { country: ['DE'] } }],
  });
  const item = await client.createContent({
    externalId: 'tides',
    title: 'Tides',
    type: 'article',
    source: 'https://example.com/tides',
    policyId: policy.id,
  });
  const status: 'active' | 'archived' = item.status;
  const version: number = policy.version;
  const decision = await client.checkAccess({ contentId: 'tides', context: { country: 'DE' } });
  const allowed: boolean = decision.allowed;
  const batch = await client.checkAccessBatch({ checks: [{ contentId: 'tides' }, { contentId: 'nothing' }] });
  const codes = batch.data.map((one) => ('error' in one ? one.error.code : one.reason));
  const usage = await client.getUsage({ period: '7d' });
  const total: number = usage.summary.totalRequests;
  assert.deepEqual(
    [status, version, allowed, codes, total],
    ['active', 1, true, ['policy_denied', 'content_not_found'], 2],
  );
  const given = { robots: 'off' } as const;
  const tried = await client.putSite('www.example.com', { signals: given }, { dryRun: true });
  assert.equal(tried.host, 'www.example.com');
  const stale = client.putSite('www.example.com', { signals: given }, undefined, { ifMatch: '"7"' });
  await assert.rejects(stale, { status: 412 });
  const wrong = async (): Promise<void> => {
    // @ts-expect-error a type that is none
    await client.createContent({ externalId: 'a', title: 'a', type: 'artikel', source: 'https://a.example' });
    // @ts-expect-error a condition that is none
    await client.createPolicy({ name: 'x', rules: [{ action: 'allow', conditions: { licenceType: 'x' } }] });
    // @ts-expect-error no such parameter
    await client.listContent({ externalID: 'a' });
    // @ts-expect-error a part of the path is missing
    await client.getPolicyVersion('pol_x');
    // @ts-expect-error checks have a contentId
    await client.checkAccessBatch({ checks: [{ content: 'a' }] });
    // @ts-expect-error no such method
    await client.getEverything();
  };
  assert.equal(typeof wrong, 'function');
});

test('a form is sent where OAuth has one', async () => {
  const client = createPostern({ url: postern.url, key: postern.key });
  assert.deepEqual(await client.introspectLicenseToken({ token: 'none' }), { active: false });
});
