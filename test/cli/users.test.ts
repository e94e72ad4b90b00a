/** `postern console link` and `postern users`, through the service and without it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { databaseSettings, startTestService } from '../../kit/service.ts';
import { assertError } from '../http/given.ts';
import { openLink, withSession } from '../users/trip.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const offline = {
  POSTERN_URL: postern.url,
  POSTERN_DATA_DIR: postern.dataDir,
  ...(await databaseSettings(postern.dataDir)),
};
const run = (args: readonly string[], env: Record<string, string>): Promise<Ran> => commandHere(args, { env });
const online = (...args: string[]) => run(args, { POSTERN_URL: postern.url, POSTERN_KEY: postern.key });

/** Opens the link that a command wrote. Returns the session. */
async function enter({ stdout }: Ran): Promise<string> {
  assert.match(stdout, new RegExp(`^${postern.url}/console#link=[\\w-]{43}\\n$`));
  const { session, body } = await openLink(postern, stdout.trim());
  assert.ok(session !== undefined, JSON.stringify(body));
  return session;
}

test('a link is written to stdout alone; without a key it comes from the records, beside the service', async () => {
  for (const make of [() => online('console', 'link'), () => run(['console', 'link'], offline)]) {
    const ran = await make();
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stderr, /^Signs Operator in as admin, once, until /);
    const session = await enter(ran);
    const { body } = await withSession(postern, session, 'GET /console/session');
    assert.deepEqual([body.user.name, body.user.role], ['Operator', 'admin']);
    assertError(await openLink(postern, ran.stdout.trim()), 'invalid_api_key');
  }
});

test('names a person and a role, and refuses what there is not', async () => {
  const ran = await run(['console', 'link', '--name', 'Ada', '--role', 'licensing', '--json'], offline);
  const { url, user } = JSON.parse(ran.stdout);
  assert.ok(url.startsWith(`${postern.url}/console#link=`));
  assert.deepEqual([user.name, user.role], ['Ada', 'licensing']);
  assert.equal((await online('console', 'link', '--role', 'owner')).status, 2);
  const long = await run(['console', 'link', '--name', 'x'.repeat(201)], offline);
  assert.deepEqual([long.status, long.stdout], [1, '']);
  const nowhere = await run(['console', 'link', '--offline', '--data-dir', '/nowhere'], offline);
  assert.match(nowhere.stderr, /There is no installation in \/nowhere\. Name its folder with --data-dir\.\n/);
  assert.equal((await online('console', 'link', '--data-dir', '/nowhere')).status, 2);
});

test('users are listed, suspended, reinstated and deleted', async () => {
  const session = await enter(await online('console', 'link', '--name', 'Grace', '--role', 'viewer'));
  const listed = await online('users', 'list', '--role', 'viewer');
  const id = /usr_\w+/.exec(listed.stdout)?.[0] ?? '';
  assert.match(listed.stdout, /usr_\w+ +Grace +– +viewer +active/);
  assert.match((await online('users', 'suspend', id)).stderr, /^Grace is suspended/);
  assertError(await withSession(postern, session, 'GET /v1/content'), 'invalid_api_key');
  assert.match((await online('users', 'list', '--status', 'suspended')).stdout, /Grace/);
  assert.match((await online('users', 'reinstate', id)).stderr, /^Grace may sign in again/);
  assert.equal((await online('users', 'delete', id)).status, 2, 'asks first');
  assert.equal((await online('users', 'delete', id, '--yes')).status, 0);
  assert.match((await online('users', 'suspend', id)).stderr, /^user_not_found/);
});
