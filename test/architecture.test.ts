/**
 * The rooms of ARCHITECTURE.md hold: imports run one way, pure files stay pure, a table is written by its owner alone.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { words } from '../kit/words.ts';

/** Each room may import those before it; rooms of one line do not know each other. */
const ORDER = [
  ['lib'],
  ['memory'],
  ['content-types', 'errors', 'permissions', 'version', 'outgoing'],
  ['oidc', 'privacy-settings'],
  ['config'],
  ['db'],
  ['http'],
  ['changes'],
  ['events'],
  ['webhooks'],
  ['keys', 'limits', 'crawlers', 'terms', 'signatures'],
  ['users'],
  ['policies'],
  ['requesters'],
  ['identities'],
  ['sites'],
  ['collections'],
  ['offers'],
  ['content'],
  ['ledger'],
  ['usage', 'unregistered', 'visitors'],
  ['statements'],
  ['access'],
  ['signals'],
  ['drift', 'whatif', 'authorize', 'health', 'storage', 'partner', 'privacy'],
  ['attention'],
  ['cli'],
  ['housekeeping', 'log', 'records', 'tracing'],
  ['parts'],
  ['routes'],
  ['app'],
  ['main'],
  ['postern'],
];
const PURE = words(`
  access/decide attention/item whatif/impact whatif/tally cli/policies/cases authorize/target crawlers/token
  cli/audit/answers cli/audit/combined cli/audit/json-line identities/list identities/ranges cli/audit/report cli/audit/tally
  cli/audit/times
  drift/difference drift/headers drift/lines
  collections/collection-index collections/patterns collections/ties lib/glob lib/locator lib/pattern-sets lib/query-pattern lib/readings lib/spellings lib/url-pattern
  signals/aipref signals/ask signals/base-contradictions signals/classes signals/longest-match signals/page-headers signals/questions signals/ranking signals/rsl signals/sale signals/tdmrep signals/values signals/regions signals/robots signals/robots-base signals/robots-group signals/robots-groups signals/robots-line signals/robots-reader signals/rule-book signals/table signals/usage-reader signals/words
  policies/conditions policies/crawler-conditions policies/place-conditions policies/license-keys policies/match policies/compile policies/lint/lint policies/lint/unverified requesters/history limits/limit memory
  offers/headers offers/offer offers/price-list
  outgoing/address signatures/agent signatures/agent-field signatures/judge signatures/keys signatures/request
  terms/money terms/periods terms/price terms/quota terms/terms terms/timeline usage/period usage/series
  webhooks/schedule
`);
/**
 * The files that may import `http/`, beside routes, schemas and the rooms above the features: they read requests or
 * refuse them.
 */
const TRANSPORT = words(`
  access/ask access/check changes/changes changes/resource content/bulk events/stream keys/authenticate
  users/sessions users/sign-in
  partner/access partner/content partner/door partner/gate partner/own-requests partner/route statements/csv storage/new-key storage/new-link usage/demand-list usage/lists usage/remote
  usage/report-csv
`);
const OWNERS: Record<string, string> = {
  content: 'content/store.ts content/place-store.ts',
  purges: 'content/store.ts ledger/sweep.ts',
  collections: 'collections/store.ts',
  collection_versions: 'collections/store.ts',
  sites: 'sites/store.ts',
  site_versions: 'sites/store.ts',
  served_signals: 'signals/store.ts',
  signal_checks: 'drift/store.ts',
  default_policies: 'policies/store.ts',
  policies: 'policies/store.ts',
  policy_versions: 'policies/store.ts',
  candidates: 'policies/candidate-store.ts',
  license_terms: 'requesters/terms-store.ts privacy/records.ts',
  statements: 'statements/store.ts privacy/records.ts',
  license_requests: 'partner/request-store.ts privacy/records.ts',
  offers: 'offers/store.ts',
  backward_steps: 'ledger/time-order.ts',
  deleted_counts: 'ledger/deleted-counts.ts',
  deleted_decisions: 'ledger/counted.ts',
  daily_counts: 'ledger/retire.ts ledger/erase.ts',
  erasures: 'privacy/store.ts',
  requesters: 'requesters/store.ts',
  licenses: 'requesters/store.ts requesters/expiry-store.ts',
  requester_tokens: 'requesters/token-store.ts privacy/records.ts',
  history: 'requesters/store.ts privacy/records.ts',
  proxy_probes: 'authorize/probe-store.ts',
  agent_keys: 'signatures/store.ts privacy/identity-records.ts',
  identity_lists: 'identities/store.ts privacy/identity-records.ts',
  sightings: 'visitors/sighting-store.ts privacy/records.ts',
  sighting_cursors: 'visitors/sighting-store.ts',
  api_keys: 'keys/store.ts',
  sessions: 'users/session-store.ts',
  users: 'users/store.ts',
  sign_in_links: 'users/store.ts',
  used_sign_ins: 'users/store.ts',
  decisions:
    'ledger/sqlite-procedure.ts ledger/postgres-write.ts ledger/postgres-entries.ts ledger/postgres-trip-sql.ts ledger/sweep.ts ledger/retire.ts ledger/erase.ts',
  test_decisions: 'ledger/test-sweep.ts',
  test_deleted_decisions: 'ledger/test-sweep.ts',
  archives: 'storage/archive.ts',
  quota_contents: 'ledger/quota-store.ts ledger/sqlite-procedure.ts ledger/postgres-write.ts ledger/sweep.ts',
  limits: 'ledger/sqlite-procedure.ts ledger/postgres-write.ts ledger/quota-open.ts ledger/sweep.ts ledger/erase.ts',
  changes: 'changes/rows.ts changes/audit.ts privacy/records.ts privacy/identity-records.ts',
  change_data:
    'changes/rows.ts changes/audit.ts ledger/sqlite-procedure.ts ledger/postgres-write.ts privacy/identity-records.ts',
  events:
    'changes/rows.ts ledger/sqlite-procedure.ts ledger/postgres-write.ts ledger/sweep.ts events/store.ts privacy/records.ts privacy/identity-records.ts',
  webhooks: 'webhooks/store.ts',
  deliveries: 'webhooks/store.ts privacy/deliveries.ts',
  unregistered: 'unregistered/store.ts privacy/records.ts',
  leases: 'db/postgres/lease.ts',
  receipts: 'db/receipt.ts ledger/sweep.ts privacy/records.ts',
};

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const source = (file: string): string => readFileSync(file, 'utf8');
const roomOf = (file: string): string => (file.split('/')[1] ?? '').replace(/\.ts$/, '');
const rank = (room: string): number => ORDER.findIndex((rooms) => rooms.includes(room));

function importsOf(file: string): string[] {
  const found = source(file).matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g);
  return [...found].map((match) => normalize(join(dirname(file), match[1] as string)));
}

test('imports run one way', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => roomOf(target) !== roomOf(file) && rank(roomOf(target)) >= rank(roomOf(file)))
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    [...new Set(files.map(roomOf))].filter((room) => rank(room) === -1),
    [],
  );
});

test('nouns, edits and stores know nothing of requests', () => {
  const isTransport = (file: string): boolean =>
    /(routes|schema)\.ts$|^src\/(http|health|app|parts|main|cli)\b/.test(file) || TRANSPORT.includes(file.slice(4, -3));
  const wrong = files
    .filter((file) => !isTransport(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('src/http/'))
        .map((target) => `${file} imports ${target}`),
    );
  assert.deepEqual(wrong, []);
});

test('no file imports itself through others, not even for types', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    else if (!done.has(file)) {
      for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    }
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

test('the start of the service does not load the engine of reports, which takes a tenth of its time', () => {
  const loaded = new Set(['src/app.ts', 'src/records.ts']);
  for (const file of loaded) {
    for (const [, name = ''] of source(file).matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)) {
      assert.ok(!name.startsWith('@duckdb/'), `${file} imports ${name}`);
      if (name.startsWith('.')) loaded.add(normalize(join(dirname(file), name)));
    }
  }
  assert.ok(loaded.has('src/usage/routes.ts'));
});

test('loading the service uses nothing of a language, whose data takes a tenth of the start to open', async () => {
  const refuse = `() => { throw new Error('used while modules are loaded'); }`;
  const script = `
    for (const name of ['DateTimeFormat', 'NumberFormat', 'Collator', 'DisplayNames', 'ListFormat', 'PluralRules'])
      Intl[name] = class { constructor() { (${refuse})(); } };
    for (const one of [Number, Date]) one.prototype.toLocaleString = ${refuse};
    await import(${JSON.stringify(join(import.meta.dirname, '../src/app.ts'))});`;
  const args = ['--input-type=module', '--eval', script];
  await assert.doesNotReject(promisify(execFile)(process.execPath, args));
});

test('pure files know no clock, no store, no randomness', () => {
  for (const name of PURE) {
    const file = `src/${name}.ts`;
    assert.doesNotMatch(source(file), /Date\.now|Math\.random|randomBytes|process\.|node:(fs|http|net|worker)/, file);
    for (const target of importsOf(file)) assert.doesNotMatch(target, /src\/(db|http)\//, `${file} imports ${target}`);
  }
});

test('a table of the records is written by its owner', () => {
  // The columns have tables of their own, in a store of their own.
  for (const file of files.filter((one) => !/\/(migrations|usage)\//.test(one))) {
    for (const [, table = ''] of source(file).matchAll(/(?:insert into|update|delete from) (\w+)/g)) {
      const owners = OWNERS[table];
      if (owners !== undefined) assert.ok(owners.split(' ').includes(file.slice(4)), `${file} writes ${table}`);
    }
  }
});
