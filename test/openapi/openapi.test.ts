/**
 * The API's own description can be relied on: a strict linter has nothing to say about it, and a client that is
 * generated from it compiles, refuses what the API would refuse, and works against the real service.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { startTestService } from '../../kit/service.ts';
import { made } from '../http/given.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-openapi-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const { text, body } = await postern.call('GET', '/openapi.json', { key: null });
writeFileSync(join(folder, 'openapi.json'), text);
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (args: string[], env: Record<string, string> = {}): Promise<Ran> =>
  new Promise((done) => {
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 64 << 20 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

const lint = (file: string): Promise<Ran> =>
  run(
    [resolve('node_modules/@redocly/cli/bin/cli.js'), 'lint', file, '--config', resolve('test/openapi/redocly.yaml')],
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  );

test('a strict linter has nothing to say', async () => {
  const { code, stdout, stderr } = await lint('openapi.json');
  assert.equal(code, 0, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, /warning/i);
  // The linter works: it reports one operation without its name.
  const { operationId, ...operation } = body.paths['/v1/content'].get;
  body.paths['/v1/content'].get = operation;
  writeFileSync(join(folder, 'lame.json'), JSON.stringify(body));
  const lame = await lint('lame.json');
  assert.deepEqual([lame.code, operationId], [1, 'listContent']);
});

/** The schema with every reference replaced by the component that it names. */
const resolved = (schema: { $ref?: string }): never => {
  const expanded = JSON.stringify(schema, (_, value: { $ref?: string } | null) => {
    const name = value?.$ref?.slice('#/components/schemas/'.length);
    return name === undefined ? value : resolved(body.components.schemas[name]);
  });
  return JSON.parse(expanded) as never;
};

test('answers that are easily forgotten are in it: a check that fails in a batch, 304, health', async () => {
  await postern.call('POST', '/v1/policies', { body: { name: 'p', rules: [] } });
  const answered = async (method: string, path: string, template: string, options = {}) => {
    const answer = await postern.call(method, path, options);
    const described = body.paths[template][method.toLowerCase()].responses[answer.status];
    assert.ok(described, `${template} answers ${answer.status}: ${answer.text}`);
    if (answer.text === '') return assert.equal(described.content, undefined);
    const schema = resolved(described.content['application/json'].schema);
    assert.deepEqual([...Compile(schema).Errors(answer.body)], [], `${template}: ${answer.text}`);
  };
  await answered('GET', '/livez', '/livez');
  await answered('GET', '/readyz', '/readyz');
  await answered('POST', '/v1/access/check/batch', '/v1/access/check/batch', {
    body: { checks: [{ contentId: 'none' }] },
  });
  const etag = (await postern.call('GET', '/v1/policies/pol_default')).headers.get('etag') ?? '';
  await answered('GET', '/v1/policies/pol_default', '/v1/policies/{id}', { headers: { 'if-none-match': etag } });
});

test('so are the headers that make retries and edits safe', () => {
  const headers = (path: string, method: string): string[] =>
    (body.paths[path][method].parameters ?? [])
      .filter((one: { in: string }) => one.in === 'header')
      .map(({ name }: { name: string }) => name);
  assert.deepEqual(headers('/v1/access/check', 'post'), ['Idempotency-Key']);
  assert.deepEqual(headers('/v1/content/{id}', 'get'), ['If-None-Match']);
  assert.deepEqual(headers('/v1/content/{id}', 'patch').toSorted(), ['Idempotency-Key', 'If-Match']);
  assert.deepEqual(headers('/v1/policies/{id}', 'delete'), ['If-Match']);
  assert.deepEqual(headers('/v1/policies/{id}/rollback', 'post').toSorted(), ['Idempotency-Key', 'If-Match']);
  assert.deepEqual(headers('/v1/webhooks', 'get'), []);
});

/** The media types of the 200 of every operation that reads, by its path. */
const read: [path: string, types: string[]][] = Object.entries<any>(body.paths)
  .map(([path, { get }]): [string, string[]] => [path, Object.keys(get?.responses[200]?.content ?? {})])
  .filter(([, types]) => types.length > 0 && !types.includes('text/event-stream'));

test('so is every form of an answer that `Accept` asks for', async () => {
  await made(postern, '/v1/requesters', { id: 'acme' });
  const terms = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision' };
  const tiers = [{ upTo: null, unitPriceMicros: 10_000 }];
  await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'a', terms: { ...terms, tiers } });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'a' });
  const [{ id }] = (await postern.call('GET', '/v1/statements')).body.data;
  const answeredAs = async (path: string, accept: string): Promise<string | undefined> => {
    const key = path.startsWith('/v1/me') ? token : postern.key;
    const { status, headers } = await postern.call('GET', path.replace('{id}', id), { key, headers: { accept } });
    return status === 200 ? headers.get('content-type')?.split(';')[0] : undefined;
  };
  for (const [path, types] of read) {
    const isOneOf = types.length > 1;
    for (const accept of ['application/json', 'text/csv', 'text/html', 'application/x-ndjson']) {
      const type = await answeredAs(path, accept);
      const expected = types.includes(accept) ? accept : types[0];
      if (isOneOf || type !== undefined) assert.equal(type, expected, `${path} as ${accept}`);
    }
  }
  const several = read.filter(([, types]) => types.length > 1).map(([path]) => path);
  assert.deepEqual(several.toSorted(), [
    '/v1/access/decisions',
    '/v1/analytics/demand',
    '/v1/analytics/programs',
    '/v1/analytics/requesters',
    '/v1/analytics/usage',
    '/v1/analytics/visitors',
    '/v1/audit-log',
    '/v1/me/statements',
    '/v1/me/statements/{id}',
    '/v1/me/usage',
    '/v1/statements',
    '/v1/statements/{id}',
  ]);
});

test('so is the rule in each difference of two versions', async () => {
  const { id } = await made(postern, '/v1/policies', { name: 'd', rules: [] });
  const rule = { action: 'allow', conditions: { country: 'DE' }, message: 'm' };
  for (const rules of [[rule], [{ ...rule, action: 'deny' }], []])
    await postern.call('PATCH', `/v1/policies/${id}`, { body: { rules } });
  const { get } = body.paths['/v1/policies/{id}/versions/{version}/diff/{other}'];
  const schema: any = resolved(get.responses[200].content['application/json'].schema);
  const described = Object.keys(schema.properties.rules.items.properties);
  for (const versions of ['1/diff/2', '2/diff/3', '3/diff/4']) {
    const answer = await postern.call('GET', `/v1/policies/${id}/versions/${versions}`);
    assert.deepEqual([...Compile(schema as never).Errors(answer.body)], [], versions);
    for (const one of answer.body.rules)
      assert.deepEqual(
        Object.keys(one).filter((name) => !described.includes(name)),
        [],
        versions,
      );
  }
});

const PROGRAM = `import createClient from 'openapi-fetch';
import type { paths } from './types.ts';

const client = createClient<paths, 'application/json'>({
  baseUrl: process.env.URL ?? '',
  headers: { authorization: \`Bearer \${process.env.KEY}\` },
});
const created = await client.POST('/v1/content', {
  body: { externalId: 'tides', title: 'Tides', type: 'article', source: 'https://example.com/tides' },
});
const listed = await client.GET('/v1/content', { params: { query: { limit: 5, status: 'active' } } });
const policy = await client.POST('/v1/policies', {
  body: { name: 'Open', rules: [{ action: 'allow', conditions: { country: ['DE'] }, permissions: ['preview_only'] }] },
});
const edited = await client.PATCH('/v1/content/{id}', {
  params: { path: { id: 'tides' } },
  body: { policyId: policy.data?.id },
});
const decided = await client.POST('/v1/access/check', { body: { contentId: 'tides', context: { country: 'DE' } } });
const missing = await client.GET('/v1/content/{id}', { params: { path: { id: 'nothing' } } });
const usage = await client.GET('/v1/analytics/usage', { params: { query: { period: '7d' } } });
const title: string | undefined = listed.data?.data[0]?.title;
const allowed: boolean | undefined = decided.data?.allowed;
const total: number | undefined = usage.data?.summary.totalRequests;
const code: string | undefined = missing.error?.error.code;
console.log(JSON.stringify([created.data?.status, title, edited.data?.policyId === policy.data?.id, allowed, total, code]));
`;

const compile = (name: string): Promise<Ran> =>
  run([
    resolve('node_modules/typescript/bin/tsc'),
    ...'--noEmit --strict --skipLibCheck --target esnext --module nodenext --allowImportingTsExtensions'.split(' '),
    '--typeRoots',
    resolve('node_modules/@types'),
    '--types',
    'node',
    name,
  ]);

test('a generated client compiles and works', async () => {
  const generated = await run([resolve('test/openapi/generate.ts'), 'openapi.json']);
  assert.equal(generated.code, 0, generated.stderr);
  writeFileSync(join(folder, 'types.ts'), generated.stdout);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'wrong.ts'), PROGRAM.replace("type: 'article'", "type: 'artikel'"));
  const [right, wrong, ran] = await Promise.all([
    compile('program.ts'),
    compile('wrong.ts'),
    run(['program.ts'], { URL: postern.url, KEY: postern.key }),
  ]);
  assert.equal(right.code, 0, right.stdout);
  assert.match(wrong.stdout, /'"artikel"' is not assignable/);
  assert.equal(ran.stderr, '');
  assert.deepEqual(JSON.parse(ran.stdout), ['active', 'Tides', true, true, 1, 'content_not_found']);
});

test('files and bodies of denials have the media types that the description names', async () => {
  const host = 'www.example.com';
  const policy = await made(postern, '/v1/policies', { name: 'P', rules: [{ action: 'deny', conditions: {} }] });
  await made(postern, '/v1/collections', { name: 'C', hosts: [host], policyId: policy.id });
  const signals = { robots: 'augment', license: true, tdmrep: true, link: true };
  assert.equal((await postern.call('PUT', `/v1/sites/${host}`, { body: { signals } })).status, 201);
  const site = '/v1/sites/{host}/signals/';
  const served = {
    [`${site}robots.txt`]: 'text/plain',
    [`${site}license.xml`]: 'application/rsl+xml',
    [`${site}tdmrep.json`]: 'application/json',
    [`${site}tdm-policy`]: 'application/ld+json',
    [`${site}headers`]: 'application/json',
    '/metrics': 'text/plain',
  };
  const typeOf = ({ headers }: { headers: Headers }) => headers.get('content-type')?.split(';', 1)[0];
  for (const [path, type] of Object.entries(served)) {
    const { content } = body.paths[path].get.responses['200'];
    assert.deepEqual(Object.keys(content), [type], path);
    assert.equal(content[type].schema.type, type.includes('json') ? undefined : 'string', path);
    assert.equal(typeOf(await postern.call('GET', path.replace('{host}', host))), type, path);
  }
  const denied = body.paths['/v1/authorize'].get.responses;
  const headers = { 'x-postern-key': postern.key, 'x-original-uri': `https://${host}/` };
  for (const [kind, type] of [
    ['problem', 'application/problem+json'],
    ['html', 'text/html'],
  ] as const) {
    const answer = await postern.call('GET', `/v1/authorize?body=${kind}`, { headers });
    assert.deepEqual([answer.status, typeOf(answer)], [403, type]);
    for (const status of ['403', '4XX']) assert.ok(type in denied[status].content, `${status} ${type}`);
  }
});
