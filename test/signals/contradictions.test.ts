/** The report reads files back: a file that allows what a policy denies is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_VALUES } from '../../src/collections/collection.ts';
import { CRAWLERS } from '../../src/crawlers/directory.ts';
import { compile } from '../../src/policies/compile.ts';
import { assess } from '../../src/signals/assess.ts';
import { contradictionsIn } from '../../src/signals/contradictions.ts';
import { SIGNALS, type SignalKind } from '../../src/signals/kinds.ts';
import { type Published, toFile } from '../../src/signals/signals.ts';
import { FIRST_SIGNALS, FIRST_VALUES as FIRST_SITE } from '../../src/sites/site.ts';

const HOST = 'www.example.com';
const table = await assess({
  site: {
    ...FIRST_SITE,
    no: 1,
    host: HOST,
    signals: { ...FIRST_SIGNALS, tdmrep: true },
    version: 1,
    createdAt: 0,
    updatedAt: 0,
  },
  now: Date.now(),
  collections: [
    {
      ...FIRST_VALUES,
      no: 1,
      id: 'col_1',
      name: 'P',
      hosts: [HOST],
      paths: ['/premium/'],
      policyId: 'pol_1',
      version: 1,
      createdAt: 0,
      updatedAt: 0,
    },
  ],
  defaultPolicyId: 'pol_1',
  policies: new Map([
    [
      'pol_1',
      compile({
        no: 1,
        id: 'pol_1',
        version: 1,
        rules: [
          { action: 'deny', conditions: { crawler: ['GPTBot'] } },
          { action: 'deny', conditions: { purpose: 'training' } },
        ],
        defaultAction: 'allow',
      }),
    ],
  ]),
  crawlers: CRAWLERS.slice(0, 20),
  named: () => null,
  offers: [],
  items: [],
  hasMoreItems: false,
});

const textOf = (kind: SignalKind): string => SIGNALS[kind].render(table)?.text ?? '';
const robots = textOf('robots.txt');
const tdmrep = textOf('tdmrep.json');

const foundIn = (changed: { robots?: string; tdmrep?: string }) => {
  const files: Published['files'] = {
    'robots.txt': toFile(changed.robots ?? robots, 'text/plain', 0),
    'tdmrep.json': toFile(changed.tdmrep ?? tdmrep, 'application/json', 0),
    'license.xml': 'off',
    headers: 'off',
    'tdm-policy': 'off',
  };
  return contradictionsIn({ table, files, cannotExpress: [] });
};

test('the files as they are rendered have none', async () => {
  assert.deepEqual(await foundIn({}), []);
});

test('an access, a signal or a reservation that a policy contradicts is found', async () => {
  const access = await foundIn({ robots: robots.replaceAll('Disallow: /premium/', 'Allow: /premium/') });
  assert.ok(
    access.some(({ crawler, message }) => crawler === 'GPTBot' && /lets GPTBot fetch \/premium/.test(message)),
    JSON.stringify(access),
  );
  assert.match(robots, /ai-train=no/);
  const signals = await foundIn({ robots: robots.replaceAll('ai-train=no', 'ai-train=yes') });
  assert.ok(
    signals.some(({ message }) => /Content-Signal permits .* ai-train/.test(message)),
    JSON.stringify(signals),
  );
  const reservation = await foundIn({ tdmrep: tdmrep.replaceAll('"tdm-reservation": 1', '"tdm-reservation": 0') });
  assert.ok(
    reservation.some(({ message }) => /reserves nothing at \/premium/.test(message)),
    JSON.stringify(reservation),
  );
});
