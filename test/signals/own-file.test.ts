/** Beside a site's own robots.txt: what it disallows to a crawler stays disallowed, read by an independent parser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { made, makePolicy } from '../http/given.ts';
import { readStatements } from './compare.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const { id: closed } = await makePolicy(postern, [{ action: 'deny' }]);
const { id: open } = await makePolicy(postern, [{ action: 'allow' }]);
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId: closed });
const { id } = await made(postern, '/v1/collections', { name: 'P', hosts: [HOST], paths: ['/p'], policyId: open });

/** Returns what a crawler may fetch, with the site's own file beside collections that allow `paths`. */
async function fetchable(base: string, paths: string[], token = 'StrangeBot') {
  await postern.call('PATCH', `/v1/collections/${id}`, { body: { paths } });
  const body = { signals: { robots: 'augment', robotsBase: base } };
  assert.ok((await postern.call('PUT', `/v1/sites/${HOST}`, { body })).status < 300);
  const { text } = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`);
  assert.ok(text.startsWith(base));
  const { robots } = readStatements(text);
  return { text, may: (path: string) => robots.isAllowed(`https://${HOST}${path}`, token) };
}

test('a longer rule of ours does not open a folder that the site closed', async () => {
  const { text, may } = await fetchable('User-agent: *\nDisallow: /admin\n', ['/admin/press/', '/press/']);
  assert.deepEqual(['/admin/press/1', '/admin/', '/press/1'].map(may), [false, false, true], text);
});

test('a rule of ours with a star stays, and opens nothing in a folder that the site closed', async () => {
  const { text, may } = await fetchable('User-agent: *\nDisallow: /in\n', ['/*/press/releases/']);
  assert.deepEqual(['/in/press/releases/', '/on/press/releases/'].map(may), [false, true], text);
});

test('what the site’s own file allows within a closed folder stays allowed, and else is reported', async () => {
  const base = 'User-agent: *\nDisallow: /in\nAllow: /in/a\n';
  const { text, may } = await fetchable(base, ['/in/press/', '/in/a']);
  assert.deepEqual(['/in/press/1', '/in/a/1', '/on'].map(may), [false, true, false], text);
  const closing = await fetchable(base, ['/*/press/releases/', '/in/a']);
  assert.equal(closing.may('/in/press/releases/'), false, closing.text);
  const { cannotExpress } = (await postern.call('GET', `/v1/sites/${HOST}/signals/report`)).body;
  assert.ok(
    cannotExpress.some(
      ({ about, message }: { about: string[]; message: string }) => about[0] === '/in/a' && /own file/.test(message),
    ),
    JSON.stringify(cannotExpress),
  );
});

test('one path that the site closed stays closed, and its neighbours open', async () => {
  const { text, may } = await fetchable('User-agent: *\nDisallow: /a$\n', ['/a$', '/ab/', '/*pdf']);
  assert.deepEqual(['/a', '/ab/1'].map(may), [false, true], text);
});

test('each crawler has the rules that the site’s own file has for it', async () => {
  const base =
    'User-agent: GPTBot\nDisallow: /in\n\nUser-agent: CCBot\nDisallow: /on\n\nUser-agent: *\nCrawl-delay: 1\n';
  for (const [token, said] of Object.entries({ GPTBot: [false, true], CCBot: [true, false], Other: [true, true] })) {
    const { text, may } = await fetchable(base, ['/in/press/', '/on/press/'], token);
    assert.deepEqual(['/in/press/1', '/on/press/1'].map(may), said, `${token}\n${text}`);
  }
});

test('escapes that stand for a character are that character', async () => {
  const { text, may } = await fetchable('User-agent: *\nDisallow: /%61dmin/of/them\n', ['/admin/of/them/all/']);
  assert.equal(may('/admin/of/them/all/1'), false, text);
});
