/** Crawlers that are seen for the first time and names that are used falsely are announced, once, over restarts. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { allowAll, check, made } from '../http/given.ts';

hurry();

const HOUR_MS = 3_600_000;
const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());
const { id: policyId } = await made(postern, '/v1/policies', { name: 'P', rules: [allowAll] });
const { id: contentId } = await made(postern, '/v1/content', {
  externalId: 'x',
  title: 'X',
  type: 'article',
  source: 'https://example.com/x',
  policyId,
});
await made(postern, '/v1/requesters', {
  id: 'acme',
  userAgents: ['AcmeBot'],
  identities: [{ kind: 'ip', ranges: ['203.0.113.0/24'] }],
});

const visit = (userAgent: string, ip = '203.0.113.7') =>
  check(postern, { contentId, context: { userAgent, ip }, visitor: {} });
async function events(type: string, objectId = ''): Promise<any[]> {
  const query = objectId === '' ? '' : `&objectId=${objectId}`;
  return (await postern.call('GET', `/v1/events?type=${type}${query}`)).body.data;
}
/** Waits for the round that has read all decisions so far: it announces this crawler, which was not seen before. */
const fresh = ['CCBot', 'Bytespider', 'Amazonbot', 'Diffbot', 'YouBot', 'Timpibot', 'PetalBot'];
async function round(): Promise<void> {
  const name = fresh.pop() as string;
  await visit(`${name}/1.0`);
  await until('a round', async () => (await events('crawler.first_seen', name)).length > 0, 30_000);
}

describe('crawler.first_seen', () => {
  test('once, with its first decision, also after a restart', async () => {
    const first = await visit('GPTBot/1.2');
    await visit('GPTBot/1.2');
    await round();
    const found = await events('crawler.first_seen', 'GPTBot');
    assert.equal(found.length, 1);
    const { crawler, decisionId, verified, firstSeen } = found[0].data.object;
    assert.deepEqual([crawler, decisionId, verified, firstSeen], ['GPTBot', first.id, null, first.created]);
    await postern.restart();
    await visit('GPTBot/1.2');
    await round();
    assert.equal((await events('crawler.first_seen', 'GPTBot')).length, 1);
  });
});

describe('requester.spoofed', () => {
  test('at the first forged check, then at most once an hour, with how many there were', async () => {
    await visit('AcmeBot/1.0');
    await round();
    assert.deepEqual(await events('requester.spoofed'), []);
    const first = await visit('AcmeBot/1.0', '198.51.100.1');
    assert.equal(first.claimed, 'acme');
    await round();
    const told = async () => (await events('requester.spoofed', 'acme')).map(({ data: { object } }) => object);
    assert.deepEqual((await told())[0].decisionId, first.id);
    assert.deepEqual(
      (await told()).map(({ claimed, checks }) => [claimed, checks]),
      [['acme', 1]],
    );
    await visit('AcmeBot/1.0', '198.51.100.1');
    await visit('AcmeBot/1.0', '198.51.100.2');
    await round();
    await postern.restart();
    await round();
    assert.equal((await told()).length, 1);
    clock.advance(HOUR_MS);
    await visit('AcmeBot/1.0', '198.51.100.3');
    await until('the next event', async () => (await told()).length === 2, 30_000);
    assert.deepEqual(
      (await told()).map(({ checks }) => checks),
      [3, 1],
    );
    assert.equal((await postern.call('GET', '/v1/requesters/acme')).body.identities.length, 1);
    const again = await visit('AcmeBot/1.0');
    assert.deepEqual([again.requesterId, again.verified], ['acme', 'ip'], 'the event is no edit of the requester');
  });
});
