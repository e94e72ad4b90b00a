/**
 * Measures what the sign-in of people adds to a check, which has a key: alone, as the step between the request and the
 * authentication by key; and over HTTP, beside a service without a provider and without people. Rounds take turns.
 */
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { temporaryFolder } from '../kit/launch.ts';
import type { Authenticate } from '../src/api/http/auth.ts';
import type { Keys } from '../src/api/keys/authenticate.ts';
import type { Caller } from '../src/api/permissions.ts';
import { openSessions } from '../src/api/users/sessions.ts';
import { contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const USERS = 100;
const PASSES = 500_000;
const MOST = 0.01;
/** Asked only when a person signs in. */
const PROVIDER = {
  POSTERN_OIDC_ISSUER: 'https://sign-in.example',
  POSTERN_OIDC_CLIENT_ID: 'postern',
  POSTERN_OIDC_CLIENT_SECRET: 'a-secret',
  POSTERN_OIDC_ROLES: 'staff=viewer',
};

export const signInPart: Part = {
  name: 'sign-in',
  about: `A durable check over HTTP beside ${USERS} people who are signed in, and a provider`,
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    await using bare = await startPostern({ dataDir: join(dir.path, 'bare'), core: cores.server });
    await using peopled = await startPostern({
      dataDir: join(dir.path, 'peopled'),
      core: cores.server,
      env: PROVIDER,
    });
    for (let i = 0; i < USERS; i++) await signIn(peopled, `Person ${i}`);
    const contenders = [];
    for (const [name, postern] of Object.entries({ without: bare, 'with people': peopled })) {
      const { checks } = await loadCatalogue(postern, 'article', 'Ten rules', TEN_RULES);
      const bodies = checks.map((check) => JSON.stringify(check));
      contenders.push(contender(name, postern, { path: '/v1/access/check', headers: HEADERS, bodies }));
    }
    await measure(contenders, cores.load, options);
    const [without = [], withPeople = []] = contenders.map(({ results }) => results.map(({ cpuUs }) => cpuUs));
    const added = addedNs(options.quick ? 5 : 31);
    const share = added / 1000 / median(without);
    return {
      figures: [
        {
          what: 'processor time that sign-in adds to the authentication of a check',
          value: added,
          unit: 'ns',
          against: { what: 'a check', value: median(without) * 1000, ratio: share },
          target: { text: `≤ ${MOST}`, met: share <= MOST },
        },
        {
          what: 'processor time of a check, with people and a provider',
          value: median(withPeople),
          unit: 'µs',
          against: { what: 'without', value: median(without), ratio: medianRatio(withPeople, without) },
        },
      ] satisfies Figure[],
      notes: [
        cores.note,
        'Two processes with the same work differ by some percent, so the second figure cannot show one percent.',
      ],
    };
  },
};

async function signIn({ port, post }: Postern, name: string): Promise<void> {
  const { path } = await post<{ path: string }>('/v1/users/links', { name, role: 'viewer' });
  const response = await fetch(`http://127.0.0.1:${port}/console/session`, {
    method: 'POST',
    headers: { 'x-postern-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ link: path.split('#link=')[1] }),
  });
  if (response.status !== 201) throw new Error(`${name} cannot sign in: ${await response.text()}`);
}

/** Returns the median over so many rounds of what `sessions.authenticate` takes beyond authentication by key. */
function addedNs(rounds: number): number {
  const caller = { keyId: 'key_1' } as Caller;
  const byKey: Authenticate = () => caller;
  const none = null as never;
  const sessions = openSessions({ db: none, clock: none, keys: { authenticate: byKey } as Keys });
  const request = { headers: HEADERS, routeOptions: { config: {} } } as unknown as FastifyRequest;
  const credentials = HEADERS.authorization;
  const differences = Array.from(
    { length: rounds },
    () =>
      nanoseconds(() => sessions.authenticate(request, credentials)) - nanoseconds(() => byKey(request, credentials)),
  );
  return Math.max(0, median(differences));
}

/** Kept, so that no compiler leaves the work out. */
let kept: unknown;

function nanoseconds(run: () => unknown): number {
  const begun = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) kept = run();
  if (kept === undefined) throw new Error('nobody was authenticated');
  const { user, system } = process.cpuUsage(begun);
  return ((user + system) * 1000) / PASSES;
}
