/** Traces of a real process, at a receiver of OTLP over HTTP; none where the variables ask for none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launched, newTestKey, type Running, temporaryFolder } from '../kit/launch.ts';
import { startOtlpReceiver } from '../kit/otlp.ts';
import { startReceiver } from '../kit/receiver.ts';
import { databaseSettings } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const QUICK = { OTEL_BSP_SCHEDULE_DELAY: '50' };

async function start(folder: string, env: Record<string, string>): Promise<Running> {
  return launched({ dataDir: folder, key: newTestKey(), env: { ...(await databaseSettings(folder)), ...env } });
}

/** Sends an edit, a check, a health check, and a request for an unknown item. */
async function use(postern: Running): Promise<void> {
  const item = { externalId: 'secret-item', title: 'secret-title', type: 'article', source: 'https://secret.host/a' };
  assert.equal((await postern.ask('POST', '/v1/content', { body: item })).status, 201);
  const body = { contentId: 'secret-item', requesterId: 'secret-requester', context: { ip: '192.0.2.77' } };
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, 'x-request-id': 'joined' };
  assert.equal((await postern.ask('POST', '/v1/access/check', { body, headers })).status, 200);
  assert.equal((await postern.ask('GET', '/livez')).status, 200);
  assert.equal((await postern.ask('GET', '/v1/content/none')).status, 404);
}

for (const protocol of ['http/json', 'http/protobuf']) {
  describe(`over ${protocol}`, () => {
    test('a check is request, check, decide and commit in the trace of its caller, and nothing else is told', async () => {
      await using receiver = await startOtlpReceiver();
      using folder = temporaryFolder();
      await using postern = await start(folder.path, {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_SERVICE_NAME: 'gate',
      });
      await use(postern);
      // What was not sent yet is sent at the end.
      assert.equal((await postern.end('SIGTERM')).code, 0);
      const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
      assert.deepEqual([...new Set(receiver.paths)], [`${type} /v1/traces`]);

      const ofTrace = receiver.spans.filter(({ traceId }) => traceId === TRACE);
      const one = (name: string) => {
        const [span, ...more] = ofTrace.filter((each) => each.name === name);
        assert.ok(span !== undefined && more.length === 0, `one ${name} of ${ofTrace.map((each) => each.name)}`);
        return span;
      };
      const request = one('POST /v1/access/check');
      assert.deepEqual([request.parentSpanId, request.kind, request.service], [SPAN, 2, 'gate']);
      assert.deepEqual(request.attributes, {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'http.route': '/v1/access/check',
        'postern.request_id': 'joined',
      });
      const check = one('check');
      assert.equal(check.parentSpanId, request.spanId);
      for (const part of [one('decide'), one('commit')]) {
        assert.deepEqual([part.parentSpanId, part.kind], [check.spanId, 1]);
        assert.ok(part.ms <= check.ms && check.ms <= request.ms);
      }
      assert.equal(ofTrace.length, 4);

      const others = receiver.spans.filter(({ traceId }) => traceId !== TRACE);
      const roots = others.filter(({ kind, parentSpanId }) => kind === 2 && parentSpanId === '');
      assert.deepEqual(
        roots.map(({ name }) => name),
        ['POST /v1/content', 'GET /v1/content/:id'],
      );
      assert.ok(receiver.spans.every(({ status }) => status === 0));
      assert.doesNotMatch(Buffer.concat(receiver.bodies).toString('latin1'), /secret|192\.0\.2\.77|svc_sk_/);
    });
  });
}

test('a request of a proxy is decided once, also where its denial says what would help', async () => {
  await using receiver = await startOtlpReceiver();
  using folder = temporaryFolder();
  const key = newTestKey();
  const env = { ...(await databaseSettings(folder.path)), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  await using postern = await launched({ dataDir: folder.path, key, env });
  const source = 'https://www.example.com/a';
  const item = { externalId: 'a', title: 'T', type: 'article', source };
  assert.equal((await postern.ask('POST', '/v1/content', { body: item })).status, 201);
  const headers = {
    traceparent: `00-${TRACE}-${SPAN}-01`,
    'x-original-uri': '/a',
    'x-postern-key': key,
  };
  const denied = await postern.ask('GET', '/v1/authorize?origin=https://www.example.com&body=problem', { headers });
  assert.equal(denied.status, 403, denied.text);
  assert.match(denied.text, /policy_denied/);
  await postern.end('SIGTERM');
  const names = receiver.spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['GET /v1/authorize', 'check', 'commit', 'decide']);
});

test('requests to others are spans with host and status, without their path', async () => {
  await using receiver = await startOtlpReceiver();
  await using endpoint = await startReceiver();
  using folder = temporaryFolder();
  await using postern = await start(folder.path, {
    ...QUICK,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/path`,
    POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const url = `${endpoint.url}/hooks/secret-path`;
  const hook = await postern.ask('POST', '/v1/webhooks', { body: { url, events: ['*'] } });
  assert.equal(hook.status, 201, hook.text);
  await postern.ask('POST', `/v1/webhooks/${hook.body.id}/test`);
  const sent = await until('a span of the delivery', () => receiver.spans.find(({ kind }) => kind === 3));
  const { port } = new URL(endpoint.url);
  assert.deepEqual(sent.attributes, {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'http.response.status_code': 200,
  });
  assert.ok(receiver.paths.every((path) => path.endsWith('/own/path')));
  assert.doesNotMatch(Buffer.concat(receiver.bodies).toString('latin1'), /secret-path/);
});

test('log entries of a traced request name its own span', async () => {
  await using receiver = await startOtlpReceiver();
  using folder = temporaryFolder();
  await using postern = await start(folder.path, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    POSTERN_LOG_LEVEL: 'debug',
  });
  await use(postern);
  assert.equal((await postern.end('SIGTERM')).code, 0);
  const line =
    postern
      .output()
      .split('\n')
      .find((text) => text.includes('"requestId":"joined"')) ?? '{}';
  const { trace_id, span_id } = JSON.parse(line);
  const span = receiver.spans.find(({ attributes }) => attributes['postern.request_id'] === 'joined');
  assert.deepEqual([trace_id, span_id], [TRACE, span?.spanId]);
});

describe('nothing is sent', () => {
  for (const [why, env] of [
    ['without a setting', {}],
    ['where the SDK is disabled', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'URL' }],
    ['where there is no exporter', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'URL' }],
    ['where the sampler says so', { OTEL_TRACES_SAMPLER: 'always_off', OTEL_EXPORTER_OTLP_ENDPOINT: 'URL' }],
    [
      'over a protocol that Postern does not speak',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'URL' },
    ],
  ] as [string, Record<string, string>][]) {
    test(why, async () => {
      await using receiver = await startOtlpReceiver();
      using folder = temporaryFolder();
      const entries = Object.entries(env).map(([name, value]) => [name, value.replace('URL', receiver.url)]);
      await using postern = await start(folder.path, Object.fromEntries(entries));
      await use(postern);
      assert.equal((await postern.end('SIGTERM')).code, 0);
      assert.equal(receiver.bodies.length, 0);
      if (env.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc') assert.match(postern.output(), /OTEL_EXPORTER_OTLP_PROTOCOL/);
    });
  }

  test('a receiver that is gone delays neither checks nor the end', async () => {
    using folder = temporaryFolder();
    await using postern = await start(folder.path, { ...QUICK, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    await use(postern);
    assert.equal((await postern.end('SIGTERM')).code, 0);
  });

  test('a caller that does not record its trace is not traced', async () => {
    await using receiver = await startOtlpReceiver();
    using folder = temporaryFolder();
    await using postern = await start(folder.path, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    await postern.ask('GET', '/v1/policies', { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } });
    await postern.ask('GET', '/v1/content');
    assert.equal((await postern.end('SIGTERM')).code, 0);
    assert.deepEqual(
      receiver.spans.map(({ name }) => name),
      ['GET /v1/content'],
    );
  });
});
