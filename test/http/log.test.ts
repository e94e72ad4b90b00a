/** The log of requests: joined with their traces, and free of what visitors and clients send. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a failure of our own', () => {
  test('is logged under the request id and the trace of the caller; an invalid trace is ignored', async () => {
    await using postern = await startTestService();
    // A fault that no request can cause: a table is gone.
    await postern.tamper({ sql: 'drop table statements' });
    const entryFor = async (id: string, traceparent: string) => {
      const headers = { 'x-request-id': id, traceparent };
      const { status, body } = await postern.call('GET', '/v1/statements', { headers });
      assert.ok(status >= 500 && body.error.requestId === id, JSON.stringify(body));
      const entries = postern.logs.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === id);
      assert.equal(entries.length, 1);
      return entries[0];
    };
    const joined = await entryFor('first', `00-${TRACE}-${SPAN}-01`);
    assert.deepEqual([joined.trace_id, joined.span_id], [TRACE, SPAN]);
    for (const [i, traceparent] of [`00-${TRACE}-${SPAN}`, `ff-${TRACE}-${SPAN}-01`, 'x'.repeat(5000)].entries()) {
      const alone = await entryFor(`alone-${i}`, traceparent);
      assert.ok(!('trace_id' in alone) && !('span_id' in alone));
    }
  });
});

test('a state that the service names itself is logged by its reason, without a stack', async () => {
  await using postern = await startTestService();
  await postern.tamper({ sql: 'drop table statements' });
  const { status, body } = await postern.call('GET', '/readyz', { headers: { 'x-request-id': 'asked' } });
  assert.equal(status, 503);
  const entries = postern.logs.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'asked');
  assert.deepEqual(
    entries.map(({ msg, reason, err }) => [msg, reason, err]),
    [['service_unavailable', body.error.message, undefined]],
  );
});

describe('at the level debug', () => {
  test('each request has an entry: route, status and time, nothing that was sent', async () => {
    await using postern = await startTestService({ env: { POSTERN_LOG_LEVEL: 'debug' } });
    const item = { externalId: 'secret-item', title: 'secret-title', type: 'article', source: 'https://secret-host/a' };
    await postern.call('POST', '/v1/content', { body: item });
    await postern.call('POST', '/v1/access/check', {
      body: {
        contentId: 'secret-item',
        requesterId: 'secret-requester',
        context: { ip: '192.0.2.77', userAgent: 'SecretBot/1.0' },
      },
      headers: { traceparent: `00-${TRACE}-${SPAN}-01`, 'user-agent': 'SecretClient', cookie: 'secret=1' },
    });
    await postern.call('GET', '/v1/content/secret-item?secret=query');
    await postern.call('GET', '/secret-path');
    await postern.call('POST', '/v1/access/check', { raw: '{"secret-broken' });
    const entries = postern.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      entries.map(({ method, route, status }) => [method, route, status]),
      [
        ['POST', '/v1/content', 201],
        ['POST', '/v1/access/check', 200],
        ['GET', '/v1/content/:id', 400],
        ['GET', null, 404],
        ['POST', '/v1/access/check', 400],
      ],
    );
    assert.deepEqual([entries[1].trace_id, entries[1].span_id], [TRACE, SPAN]);
    for (const { requestId, ms } of entries) assert.ok(requestId !== '' && ms >= 0);
    const log = postern.logs.join('');
    assert.doesNotMatch(log, /secret|192\.0\.2\.77|SecretBot|SecretClient/i);
    assert.ok(!log.includes(postern.key));
  });

  test('there are none at info', async () => {
    await using postern = await startTestService();
    await postern.call('GET', '/v1/content');
    assert.ok(!postern.logs.some((line) => JSON.parse(line).msg === 'request'));
  });
});
