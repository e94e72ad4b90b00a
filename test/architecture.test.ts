/**
 * The rooms of ARCHITECTURE.md hold: imports run one way, pure files stay pure, a table is written by its owner alone.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { words } from '../kit/words.ts';

/** The rooms in the order of the table in ARCHITECTURE.md: each may import those above it. The doors come last. */
const ROOMS = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `([a-z]+)\/` \| (.+) \|$/gm)]
  .map(([, room = '', sentence = '']) => ({ room, sentence }))
  .slice(0, 12);
const ORDER = [...ROOMS.map(({ room }) => room), 'main', 'postern'];
const PURE = words(`
  reports/attention/item reports/whatif/impact reports/whatif/tally cli/policies/cases
  decisions/proxy/target ../audit/src/answers ../audit/src/combined ../audit/src/json-line
  requesters/identities/list requesters/identities/ranges ../audit/src/report ../audit/src/tally
  ../audit/src/times signals/drift/difference signals/drift/headers signals/drift/lines
  content/collections/collection-index content/collections/patterns content/collections/ties lib/urls/glob
  lib/urls/locator lib/urls/pattern-sets lib/urls/query-pattern lib/urls/readings
  lib/urls/spellings lib/urls/url-pattern signals/robots/aipref signals/table/ask
  signals/robots/base-contradictions signals/table/classes signals/robots/longest-match signals/formats/page-headers
  signals/table/questions signals/robots/ranking signals/formats/rsl signals/table/sale
  signals/formats/tdmrep signals/table/values signals/table/regions signals/robots/robots
  signals/robots/robots-base signals/robots/robots-group signals/robots/robots-groups signals/robots/robots-line
  signals/robots/robots-reader signals/robots/rule-book signals/table/table signals/robots/usage-reader
  signals/table/words requesters/licenses/history requesters/offers/headers requesters/offers/offer
  requesters/offers/price-list lib/outgoing/address requesters/signatures/agent requesters/signatures/agent-field
  requesters/signatures/judge requesters/signatures/keys requesters/signatures/request reports/usage/period
  decisions/history/columns/series api/webhooks/schedule
`);
/**
 * The files that may import `http/`, beside routes, schemas and the rooms above the features: they read requests or
 * refuse them.
 */
const TRANSPORT = words(`
  decisions/check/ask decisions/check/check api/changes/changes api/changes/resource content/bulk api/events/stream api/keys/authenticate
  api/users/sessions 
  reports/partner/access reports/partner/content reports/partner/door  reports/partner/own-requests reports/partner/route reports/statements/csv service/storage/offline reports/usage/demand-list reports/usage/lists
  reports/usage/report-csv
`);
/** Files that the audit imports beside those of `lib/` and `rules/`. */
const AUDIT_USES = words(`
  src/cli/import/source.ts src/cli/outcome.ts src/cli/policies/file-collections.ts src/cli/policies/policy-file.ts
  src/cli/read-file.ts src/cli/terminal.ts src/content/address.ts src/content/sites/free.ts
  src/decisions/check/facts.ts
  src/decisions/snapshot/subject.ts src/requesters/identities/list.ts src/requesters/identities/ranges.ts
`);
const OWNERS: Record<string, string> = {
  content: 'content/store.ts content/place-store.ts',
  purges: 'content/store.ts decisions/history/retention/sweep.ts',
  collections: 'content/collections/store.ts',
  collection_versions: 'content/collections/store.ts',
  sites: 'content/sites/store.ts',
  site_versions: 'content/sites/store.ts',
  served_signals: 'signals/store.ts',
  signal_checks: 'signals/drift/store.ts',
  default_policies: 'policies/store.ts',
  policies: 'policies/store.ts',
  policy_versions: 'policies/store.ts',
  candidates: 'policies/candidate-store.ts',
  license_terms: 'requesters/licenses/terms-store.ts service/privacy/records.ts',
  statements: 'reports/statements/store.ts service/privacy/records.ts',
  license_requests: 'requesters/requests/store.ts service/privacy/records.ts',
  offers: 'requesters/offers/store.ts',
  backward_steps: 'decisions/history/time-order.ts',
  deleted_counts: 'decisions/history/deleted-counts.ts',
  deleted_decisions: 'decisions/history/counted.ts',
  daily_counts: 'decisions/history/retention/retire.ts decisions/history/retention/erase.ts',
  erasures: 'service/privacy/store.ts',
  log_leaves: 'decisions/history/sealed/leaves.ts decisions/history/sealed/forget.ts',
  log_spans: 'decisions/history/sealed/leaves.ts decisions/history/sealed/forget.ts',
  log_statements: 'decisions/history/sealed/statements.ts decisions/history/sealed/forget.ts',
  log_trees:
    'decisions/history/sealed/seal.ts decisions/history/sealed/tiles.ts decisions/history/sealed/publish.ts decisions/history/sealed/forget.ts',
  log_tiles: 'decisions/history/sealed/tiles.ts',
  log_heads: 'decisions/history/sealed/publish.ts',
  requesters: 'requesters/store.ts',
  licenses: 'requesters/store.ts requesters/licenses/expiry-store.ts',
  requester_tokens: 'requesters/tokens/store.ts service/privacy/records.ts',
  history: 'requesters/store.ts service/privacy/records.ts',
  proxy_probes: 'decisions/proxy/probe-store.ts',
  agent_keys: 'requesters/signatures/store.ts service/privacy/identity-records.ts',
  identity_lists: 'requesters/identities/store.ts service/privacy/identity-records.ts',
  crawler_directory: 'requesters/crawlers/directory-store.ts',
  own_crawlers: 'requesters/crawlers/own-store.ts',
  sightings: 'decisions/visitors/sighting-store.ts service/privacy/records.ts',
  sighting_cursors: 'decisions/visitors/sighting-store.ts',
  api_keys: 'api/keys/store.ts',
  sessions: 'api/users/session-store.ts',
  users: 'api/users/store.ts',
  sign_in_links: 'api/users/store.ts',
  used_sign_ins: 'api/users/store.ts',
  decisions:
    'decisions/ledger/sqlite/procedure.ts decisions/ledger/postgres/write.ts decisions/ledger/postgres/entries.ts decisions/ledger/postgres/trip-sql.ts decisions/history/retention/sweep.ts decisions/history/retention/retire.ts decisions/history/retention/erase.ts decisions/history/moved/block-work.ts',
  test_decisions: 'decisions/history/retention/test-sweep.ts',
  test_deleted_decisions: 'decisions/history/retention/test-sweep.ts',
  archives: 'decisions/history/archive/archive.ts',
  record_blocks:
    'decisions/history/moved/blocks.ts decisions/history/moved/block-work.ts decisions/history/moved/upkeep.ts',
  record_names: 'decisions/history/moved/names.ts',
  quota_contents:
    'decisions/ledger/quota/store.ts decisions/ledger/sqlite/procedure.ts decisions/ledger/postgres/write.ts decisions/history/retention/sweep.ts',
  limits:
    'decisions/ledger/sqlite/procedure.ts decisions/ledger/postgres/write.ts decisions/ledger/quota/open.ts decisions/history/retention/sweep.ts decisions/history/retention/erase.ts',
  changes: 'api/changes/rows.ts api/changes/audit.ts service/privacy/records.ts service/privacy/identity-records.ts',
  change_data:
    'api/changes/rows.ts api/changes/audit.ts decisions/ledger/sqlite/procedure.ts decisions/ledger/postgres/write.ts service/privacy/identity-records.ts',
  events:
    'api/changes/rows.ts decisions/ledger/sqlite/procedure.ts decisions/ledger/postgres/write.ts decisions/history/retention/sweep.ts api/events/store.ts service/privacy/records.ts service/privacy/identity-records.ts',
  webhooks: 'api/webhooks/store.ts',
  deliveries: 'api/webhooks/store.ts service/privacy/deliveries.ts',
  unregistered: 'content/unregistered/store.ts service/privacy/records.ts',
  leases: 'db/postgres/lease.ts',
  receipts: 'db/receipt.ts decisions/history/retention/sweep.ts service/privacy/records.ts',
};

/** The folders of a room that import each other, each with the reason. Add none. */
const BOTH_WAYS = {
  'src/decisions/check src/decisions/visitors':
    'a check finds its visitor, and the address of a visitor is that of an ask',
  'src/decisions/history src/decisions/ledger': 'each new decision is counted beside those that left the log',
};
/**
 * Where decisions are kept: in tables of the records, live and of tests, in files of the archive, and in the columns,
 * which alone are read by DuckDB.
 */
const KEPT = new RegExp(
  [
    String.raw`\b(?:from|join|into|update|table)\s+(?:test_)?(?:deleted_)?decisions\b`,
    String.raw`(?:Appender|Inserter|walk|count|From)\((?:\w+, )?'decisions'`,
    String.raw`\btest_decisions\b|\bdeleted_decisions\b|\bdecisions_seq_seq\b|\b(?:daily|deleted)_counts\b`,
    String.raw`\b(?:from|join|into)\s+archives\b|\.parquet\b|_parquet\(|parquet_schema`,
    String.raw`import\('@duckdb|from '@duckdb`,
  ].join('|'),
);
/** The files outside of `decisions/history` that know one of these places, each with the reason. Add none. */
const KNOW_PLACES = {
  'decisions/ledger/postgres/entries': 'writes new decisions',
  'decisions/ledger/postgres/trip-sql': 'writes new decisions',
  'decisions/ledger/postgres/write': 'writes new decisions',
  'decisions/ledger/sqlite/procedure': 'writes new decisions',
  'decisions/ledger/test-tables': 'writes those of test keys',
  'policies/candidate-store': 'a candidate begins after the newest decision, in the transaction that writes it',
};

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const source = (file: string): string => readFileSync(file, 'utf8');
const roomOf = (file: string): string => (file.split('/')[1] ?? '').replace(/\.ts$/, '');
const rank = (room: string): number => ORDER.indexOf(room);

function importsOf(file: string): string[] {
  const found = source(file).matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g);
  return [...found].map((match) => normalize(join(dirname(file), match[1] as string)));
}

test('the twelve rooms and two doors are all that is in src, and each says what it is', () => {
  const doors = ['main.ts', 'postern.ts'];
  const there = readdirSync('src').filter((name) => !name.endsWith('.test.ts'));
  assert.deepEqual(there.toSorted(), [...ROOMS.map(({ room }) => room), ...doors].toSorted());
  assert.equal(ROOMS.length, 12);
  for (const { room, sentence } of ROOMS)
    assert.equal(readFileSync(`src/${room}/README.md`, 'utf8'), `# ${room}\n\n${sentence}\n`);
});

test('the glossary has at most forty words', () => {
  const [, glossary = ''] = /^## Glossary\n(.*?)^## /ms.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];
  const terms = [...glossary.matchAll(/^\| (?!word)([^|]+) \| /gm)].flatMap(([, row = '']) => row.split(', '));
  assert.ok(terms.length > 30 && terms.length <= 40, `${terms.length}`);
});

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

test('of two folders of a room, one imports the other', () => {
  const folderOf = (file: string): string => file.split('/').slice(0, 3).join('/');
  const known = new Set(
    files.flatMap((file) => importsOf(file).map((target) => `${folderOf(file)} ${folderOf(target)}`)),
  );
  const both = [...known].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' ');
    return from < to && !arrow.includes('.ts') && known.has(`${to} ${from}`);
  });
  assert.deepEqual(both.toSorted(), Object.keys(BOTH_WAYS));
});

test('nouns, edits and stores know nothing of requests', () => {
  const isTransport = (file: string): boolean =>
    /(routes|schema)\.ts$|^src\/(api\/http|service\/health|service\/app|service\/parts|main|cli)\b/.test(file) ||
    TRANSPORT.includes(file.slice(4, -3));
  const wrong = files
    .filter((file) => !isTransport(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('src/api/http/'))
        .map((target) => `${file} imports ${target}`),
    );
  assert.deepEqual(wrong, []);
});

test('no file imports itself through others, not even for types', () => {
  const others = globSync('{audit,console,client}/src/**/*.{ts,tsx}').filter((file) => !file.includes('.test.'));
  const imports = new Map([...files, ...others].map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    else if (!done.has(file)) {
      for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    }
  };
  for (const file of imports.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

test('the start of the service does not load the engine of reports, which takes a tenth of its time', () => {
  const loaded = new Set(['src/service/app.ts', 'src/service/records.ts']);
  for (const file of loaded) {
    for (const [, name = ''] of source(file).matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)) {
      assert.ok(!name.startsWith('@duckdb/'), `${file} imports ${name}`);
      if (name.startsWith('.')) loaded.add(normalize(join(dirname(file), name)));
    }
  }
  assert.ok(loaded.has('src/reports/usage/routes.ts'));
});

test('loading the service uses nothing of a language, whose data takes a tenth of the start to open', async () => {
  const refuse = `() => { throw new Error('used while modules are loaded'); }`;
  const script = `
    for (const name of ['DateTimeFormat', 'NumberFormat', 'Collator', 'DisplayNames', 'ListFormat', 'PluralRules'])
      Intl[name] = class { constructor() { (${refuse})(); } };
    for (const one of [Number, Date]) one.prototype.toLocaleString = ${refuse};
    await import(${JSON.stringify(join(import.meta.dirname, '../src/service/app.ts'))});`;
  const args = ['--input-type=module', '--eval', script];
  await assert.doesNotReject(promisify(execFile)(process.execPath, args));
});

test('rules import what has no word of the product, and the schema library', () => {
  for (const file of files.filter((one) => one.startsWith('src/rules/'))) {
    const packages = [...source(file).matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name);
    // Digests are values.
    const foreign = packages.filter((name) => !['typebox', 'typebox/schema', 'node:crypto'].includes(name));
    assert.deepEqual([file, foreign], [file, []]);
    for (const target of importsOf(file)) assert.match(target, /^src\/(lib|rules)\//, `${file} imports ${target}`);
    assert.doesNotMatch(source(file), /Date\.now|Math\.random|randomBytes|process\./, file);
  }
});

test('the audit uses few files of the rooms, and only its command uses the audit', () => {
  const own = globSync('audit/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const used = [...new Set(own.flatMap(importsOf))].filter((target) => !/^(audit|src\/(lib|rules))\//.test(target));
  assert.deepEqual(used.toSorted(), AUDIT_USES);
  const users = files.filter((file) => importsOf(file).some((target) => target.startsWith('audit/')));
  assert.deepEqual(users, ['src/cli/audit.ts']);
});

test('no two types of one name are exported', () => {
  const declared = /^export (?:declare |abstract )*(?:interface|type|class) (\w+)/gm;
  const names = files.flatMap((file) => [...source(file).matchAll(declared)].map(([, name]) => name));
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

test('pure files know no clock, no store, no randomness', () => {
  for (const name of PURE) {
    const file = `src/${name}.ts`;
    assert.doesNotMatch(source(file), /Date\.now|Math\.random|randomBytes|process\.|node:(fs|http|net|worker)/, file);
    for (const target of importsOf(file))
      assert.doesNotMatch(target, /src\/(db|api\/http)\//, `${file} imports ${target}`);
  }
});

test('a record is kept in a cache that forgets by the table', () => {
  const keepers = files.filter((file) => !file.startsWith('src/lib/') && /new (Cache|Whole|View)\b/.test(source(file)));
  assert.ok(keepers.length > 9);
  assert.deepEqual(
    keepers.filter((file) => !source(file).includes('changes.known(')),
    [],
  );
  const woken = files.filter((file) => /\.wakeOnChange\(/.test(source(file)));
  assert.deepEqual(woken, ['src/api/webhooks/workers.ts'], 'whoever is woken keeps nothing');
});

test('a table of the records is written by its owner', () => {
  // The columns have tables of their own, in a store of their own.
  for (const file of files.filter((one) => !/\/(migrations|columns)\//.test(one))) {
    for (const [, table = ''] of source(file).matchAll(/(?:insert into|update|delete from) (\w+)/g)) {
      const owners = OWNERS[table];
      if (owners !== undefined) assert.ok(owners.split(' ').includes(file.slice(4)), `${file} writes ${table}`);
    }
  }
});

test('decisions/history alone knows where decisions are kept', () => {
  const code = (file: string): string => source(file).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const others = files.filter((file) => !/\/(migrations|decisions\/history)\//.test(file));
  const found = others.filter((file) => KEPT.test(code(file))).map((file) => file.slice(4, -3));
  assert.deepEqual(found.toSorted(), Object.keys(KNOW_PLACES));
});
