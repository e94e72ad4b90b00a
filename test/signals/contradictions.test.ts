/** The report reads files back: a file that allows what a policy denies is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_VALUES } from '../../src/content/collections/collection.ts';
import { FIRST_SIGNALS, FIRST_VALUES as FIRST_SITE } from '../../src/content/sites/site.ts';
import { FIRST_VALUES as FIRST_OFFER, type Offer } from '../../src/requesters/offers/offer.ts';
import { compile } from '../../src/rules/compile.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';
import { contradictionsIn } from '../../src/signals/formats/contradictions.ts';
import { SIGNAL_KINDS, SIGNALS, type SignalKind } from '../../src/signals/formats/kinds.ts';
import { type Published, toFile } from '../../src/signals/signals.ts';
import { assess } from '../../src/signals/table/assess.ts';

const HOST = 'www.example.com';
interface Given {
  signals?: object;
  offers?: Offer[];
  path?: string;
}
const tableOf = (rules: readonly object[], { signals = {}, offers = [], path = '/premium/' }: Given) =>
  assess({
    server: null,
    site: {
      ...FIRST_SITE,
      no: 1,
      host: HOST,
      signals: { ...FIRST_SIGNALS, tdmrep: true, license: true, contentUsage: true, ...signals },
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
        paths: [path],
        policyId: 'pol_1',
        version: 1,
        createdAt: 0,
        updatedAt: 0,
      },
    ],
    defaultPolicyId: 'pol_1',
    policies: new Map([
      ['pol_1', compile({ no: 1, id: 'pol_1', version: 1, rules: rules as never, defaultAction: 'deny' })],
    ]),
    crawlers: CRAWLERS.slice(0, 20),
    named: () => null,
    offers,
    items: [],
    hasMoreItems: false,
  });

const NO_TRAINING = { action: 'deny', conditions: { purpose: 'training' } };
const ALLOW = { action: 'allow', conditions: {} };
const table = await tableOf([{ action: 'deny', conditions: { crawler: ['GPTBot'] } }, NO_TRAINING, ALLOW], {});
const OFFER: Offer = {
  ...FIRST_OFFER,
  no: 1,
  id: 'off_1',
  licenseType: 'gold',
  collectionId: '',
  unitPriceMicros: 5_000,
  currency: 'USD',
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
};
const SOLD = { action: 'allow', conditions: { licenseType: ['gold'] }, permissions: ['full_access', 'training'] };
const sold = await tableOf([SOLD], { offers: [OFFER] });

const closed = await tableOf([], { path: '/' });
const textOf = (kind: SignalKind, of = table): string => SIGNALS[kind].render(of)?.text ?? '';

/** Finds contradictions where a text of a file is replaced; it must be there. */
const foundIn = async (changed: readonly [SignalKind, before: string, after: string][], of = table) => {
  const files = Object.fromEntries(
    SIGNAL_KINDS.map((kind) => {
      const text = textOf(kind, of);
      const planted = changed.filter(([about]) => about === kind);
      for (const [, before] of planted) assert.ok(text.includes(before), text);
      return [
        kind,
        toFile(
          planted.reduce((one, [, before, after]) => one.replaceAll(before, after), text),
          SIGNALS[kind].type,
          0,
        ),
      ];
    }),
  ) as unknown as Published['files'];
  return contradictionsIn({ table: of, files, cannotExpress: [], baseContradicts: [], licenses: [] });
};

test('the files as they are rendered have none', async () => {
  assert.deepEqual(await foundIn([]), []);
  assert.deepEqual(await foundIn([], sold), []);
});

const ALL = '<prohibits type="usage">all</prohibits>';
const CONTENT = '  <content url=';
const NARROWER = `  <content url="https://${HOST}/premium/x/*"><license><permits type="usage">search</permits></license></content>\n`;

for (const [what, kind, before, after, expected] of [
  ['an access', 'robots.txt', 'Disallow: /premium/', 'Allow: /premium/', /lets GPTBot fetch \/premium/],
  ['a word of Content-Signal', 'robots.txt', 'ai-train=no', 'ai-train=yes', /Content-Signal permits \* ai-train/],
  [
    'a word of Content-Usage',
    'robots.txt',
    'train-ai=n',
    'train-ai=y',
    /Content-Usage permits \* train-ai at \/premium/,
  ],
  [
    'a longer path of Content-Usage',
    'robots.txt',
    'Disallow:\n',
    'Content-Usage: /premium/x/ train-ai=y\nDisallow:\n',
    /Content-Usage permits \* train-ai at \/premium\/x/,
  ],
  ['a reservation', 'tdmrep.json', '"tdm-reservation": 1', '"tdm-reservation": 0', /reserves nothing at \/premium/],
  [
    'a use in license.xml',
    'license.xml',
    ALL,
    '<permits type="usage">ai-index</permits>',
    /license\.xml permits ai-index/,
  ],
  ['a license that prohibits nothing', 'license.xml', ALL, '', /license\.xml permits ai-train at \/premium/],
  ['a narrower license', 'license.xml', CONTENT, NARROWER + CONTENT, /license\.xml permits search at \/premium\/x/],
] as const) {
  test(`${what} that a policy contradicts is found`, async () => {
    const found = await foundIn([[kind, before, after]]);
    assert.ok(
      found.some(({ message }) => expected.test(message)),
      JSON.stringify(found),
    );
  });
}

test('a file for crawlers that is allowed with a query is found, and a folder of them with what may be other pages', async () => {
  assert.deepEqual(await foundIn([], closed), []);
  for (const [before, after, expected] of [
    ['Allow: /robots.txt$', 'Allow: /robots.txt?', /fetch \/robots\.txt\?/],
    ['Disallow: /.well-known/*?\n', '', /fetch \/\.well-known\/.*\?/],
    ['Disallow: /.well-known/*;\n', '', /fetch \/\.well-known\/.*;/],
  ] as const) {
    const found = await foundIn([['robots.txt', before, after]], closed);
    assert.ok(
      found.some(({ message }) => expected.test(message)),
      `${before} ${JSON.stringify(found)}`,
    );
  }
});

test('a price that no offer has is found, and a use that is not for sale', async () => {
  const text = textOf('license.xml', sold);
  for (const [before, after] of [
    ['<amount currency="USD">0.005</amount>', '<amount currency="USD">0.001</amount>'],
    ['<payment type="crawl">', '<payment type="subscription">'],
    [/<payment.*<\/payment>/.exec(text)?.[0] ?? '', ''],
  ] as const) {
    const found = await foundIn([['license.xml', before, after]], sold);
    assert.ok(
      found.some(({ message }) => /license\.xml permits ai-input at \/premium/.test(message)),
      `${after} ${JSON.stringify(found)}`,
    );
  }
});

test('lines in the groups of the site are its own', async () => {
  const robotsBase = 'User-agent: *\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=y\nDisallow: /admin\n';
  const of = await tableOf([NO_TRAINING, ALLOW], { signals: { robots: 'augment', robotsBase } });
  assert.deepEqual(await foundIn([], of), []);
  const found = await foundIn([['robots.txt', 'ai-train=no', 'ai-train=yes']], of);
  assert.ok(found.length > 0, 'and ours are read beside them');
});
