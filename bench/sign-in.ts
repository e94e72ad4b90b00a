/**
 * Measures what the sign-in of people adds to a check, which has a key, beside a service without a provider and without
 * people. Rounds take turns. A request with a key takes no step of sign-in, so this finds only what gets in its way.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const USERS = 100;
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
    return {
      figures: [
        {
          what: 'processor time of a check, with people and a provider',
          value: median(withPeople),
          unit: 'µs',
          against: { what: 'without', value: median(without), ratio: medianRatio(withPeople, without) },
        },
      ] satisfies Figure[],
      notes: [
        cores.note,
        'Two processes with the same work differ by some percent, so the figure cannot show one percent.',
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
