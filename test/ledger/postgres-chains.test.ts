/** Claims on quotas that PostgreSQL answers by itself are answered as a node answers them one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { entry } from '../../kit/entry.ts';
import type { Row, Value } from '../../src/db/db.ts';
import { type FlushOutcome, place, toFlush, WIDTH, workOut } from '../../src/decisions/ledger/flush.ts';
import type { Entry } from '../../src/decisions/ledger/ledger.ts';
import { EXPIRY_STEP_MS, parseNumbers } from '../../src/decisions/ledger/postgres/entries.ts';
import {
  type Claimed,
  claimedBy,
  claimStep,
  readAnswers,
  readHeld,
  readUnfit,
} from '../../src/decisions/ledger/postgres/trip.ts';
import { type QuotaClaim, quotaKey, toCount } from '../../src/decisions/ledger/quota/quota.ts';
import { LoadedQuotas } from '../../src/decisions/ledger/quota/store.ts';
import { LICENSE_ID, QUOTA, REASON, REMAINING, RESET_AT } from '../../src/decisions/ledger/row.ts';
import type { LimitState } from '../../src/rules/limit.ts';
import type { QuotaSpan } from '../../src/rules/terms/quota.ts';
import { openMigrated } from './migrated.ts';

const db = await openMigrated();

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 1, 28, 23, 59, 0);
const LATER = START + DAY_MS;

/** A license of a case. */
interface LicenseKind {
  units: number;
  denies: boolean;
  alerts: readonly number[];
  isTerm: boolean;
  /** Everything was announced before. */
  told: boolean;
}
/** An entry: which chain, whether it uses units, and which limit it has too. */
interface Ask {
  chain: number;
  spends: boolean;
  limit: number | null;
}
/** The licenses of each chain by number; negative: the last one, without a quota. */
const CHAINS = [[0], [1, 2], [3, 4, 5], [6, -7], [8], [8, 9]];
const LICENSES = 10;

const kinds = fc.array(
  fc.record({
    units: fc.constantFrom(1, 3, 7, 15, 1_000),
    denies: fc.constantFrom(true, true, true, false),
    alerts: fc.constantFrom([], [0.5, 1], [0.8]),
    isTerm: fc.boolean(),
    told: fc.constantFrom(true, true, false),
  }),
  { minLength: LICENSES, maxLength: LICENSES },
);
const flushes = fc.array(
  fc.record({
    wait: fc.constantFrom(0, 1, 30_000, 90_000),
    asks: fc.array(
      fc.record({
        chain: fc.integer({ min: -1, max: CHAINS.length - 1 }),
        spends: fc.constantFrom(true, true, true, false),
        limit: fc.constantFrom(...Array.from({ length: 20 }, () => null), 0, 1),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

let cases = 0;
const seen = { alone: 0, node: 0, refused: 0, passedOver: 0 };

/** The license has its terms from the start of its period, and another period begins a day later. */
function spanOf(name: string, { units, denies, alerts, isTerm }: LicenseKind, at: number): QuotaSpan {
  const start = isTerm ? START - DAY_MS : at < LATER ? START - DAY_MS : LATER;
  const end = isTerm ? Infinity : at < LATER ? LATER : LATER + DAY_MS;
  const period = isTerm ? 'term' : 'day';
  const base = { licenseId: name, requesterId: 'r', version: 1, unit: 'decision', purposes: undefined } as const;
  return {
    ...base,
    units,
    denies,
    expires: Infinity,
    period,
    start,
    end,
    from: start,
    until: end,
    alerts,
  };
}

const LIMITS = [
  { requests: 20, period: 'minute' },
  { requests: 1_000, period: 'day' },
] as const;

class Case {
  readonly #id = ++cases;
  readonly #kinds: readonly LicenseKind[];
  /** The states by key. */
  readonly states = new Map<string, LimitState>();

  constructor(chosen: readonly LicenseKind[]) {
    this.#kinds = chosen;
  }

  nameOf(license: number): string {
    return `lic_${this.#id}_${Math.abs(license)}`;
  }

  async open(at: number): Promise<void> {
    for (const [i, kind] of this.#kinds.entries()) {
      const { start } = spanOf(this.nameOf(i), kind, at);
      const told = kind.told ? [1_000_000, 1] : [0, 0];
      await this.write(quotaKey(this.nameOf(i)), [1, start, 0, 0, 0, ...told, 1]);
    }
  }

  async write(key: string, state: LimitState): Promise<void> {
    this.states.set(key, state);
    const sql = `insert into limits (key, state, expires_at) values ($1, $2, 1)
      on conflict (key) do update set state = excluded.state`;
    await db.write([{ sql, params: [key, JSON.stringify(state)] }]);
  }

  toEntry({ chain, spends, limit }: Ask, at: number): Entry {
    const offers = (CHAINS[chain] ?? []).map((license) => ({
      licenseId: this.nameOf(license),
      quota: license < 0 ? null : spanOf(this.nameOf(license), this.#kinds[license] as LicenseKind, at),
    }));
    // One that denies nothing serves in any case: none comes after it.
    const last = offers.findIndex(({ quota }) => quota?.denies !== true);
    const served = last < 0 ? offers : offers.slice(0, last + 1);
    const quota: QuotaClaim | null = chain < 0 ? null : { offers: served, content: null, spends };
    const claim =
      limit === null ? null : { key: `case ${this.#id} ${limit}`, limit: LIMITS[limit] as (typeof LIMITS)[number] };
    return entry({ quota, claim, licenseId: served[0]?.licenseId ?? null, enforced: spends ? 1 : 0 });
  }
}

function expected(one: Case, entries: readonly Entry[], at: number): FlushOutcome {
  const submission = { at, freshUntil: 0, receipt: undefined, entries };
  let seq = 0;
  const placed = place([submission], { ledgerNo: 1, atOf: () => at, next: () => ++seq });
  const quotas = new LoadedQuotas(one.states, [], []);
  return workOut(toFlush(placed, 1, []), (key) => one.states.get(key) ?? [], quotas);
}

async function ask(entries: readonly Entry[], at: number): Promise<{ row: Row; claimed: Claimed }> {
  const claimed = claimedBy([{ at, freshUntil: 0, receipt: undefined, entries }]);
  assert.ok(claimed);
  const [[row]] = (await db.write([claimStep([at, 0, entries.length], claimed)])) as [[Row]];
  return { row, claimed };
}

const NAMES = ['reason', 'license_id', 'quota', 'limit_remaining', 'limit_reset_at'] as const;
const COLUMN_NOS = [REASON, LICENSE_ID, QUOTA, REMAINING, RESET_AT];

async function compare(chosen: readonly LicenseKind[], sequence: { wait: number; asks: Ask[] }[]): Promise<void> {
  const one = new Case(chosen);
  let at = START;
  await one.open(at);
  for (const { wait, asks } of sequence) {
    at += wait;
    const entries = asks.map((each) => one.toEntry(each, at));
    const outcome = expected(one, entries, at);
    const { row, claimed } = await ask(entries, at);
    assert.equal(readHeld(row, claimed).size, 0);
    if (readUnfit(row, claimed).length > 0) {
      seen.node++;
      assert.equal(row.seqs, null, 'nothing is recorded');
      for (const [key, old] of one.states) assert.deepEqual(await stateOf(key), old);
      for (const [key, { state }] of outcome.touched) await one.write(key, state);
      continue;
    }
    seen.alone++;
    assert.deepEqual(readAnswers(row, claimed), outcome.answers);
    assert.deepEqual(outcome.events, [], 'only a node writes events');
    await compareWritten(one, outcome, entries, row.seqs as string);
  }
}

/** The rows of the entries, and the states of what they claim. */
async function compareWritten(
  one: Case,
  outcome: FlushOutcome,
  entries: readonly Entry[],
  seqs: string,
): Promise<void> {
  const recorded = await db.read(
    `select ${NAMES.join(', ')} from decisions where seq = any($1::bigint[]) order by seq`,
    [seqs],
  );
  const rows = entries.map((_, i) => COLUMN_NOS.map((column) => outcome.rows[i * WIDTH + column] as Value));
  assert.deepEqual(
    recorded.map((each) => NAMES.map((name) => each[name])),
    rows,
  );
  for (const [key, { state, expiresAt }] of outcome.touched) {
    const old = one.states.get(key);
    one.states.set(key, state);
    assert.deepEqual(await stateOf(key), state, key);
    if (!key.startsWith('q.') || toCount(state).used === toCount(old ?? []).used) continue;
    const [kept] = await db.read('select expires_at from limits where key = $1', [key]);
    assert.equal(kept?.expires_at, Math.ceil(expiresAt / EXPIRY_STEP_MS) * EXPIRY_STEP_MS);
  }
  for (const [i, { quota }] of entries.entries()) {
    const [reason, licenseId] = rows[i] as Value[];
    if (reason !== 0) seen.refused++;
    else if (quota !== null && licenseId !== quota.offers[0]?.licenseId) seen.passedOver++;
  }
}

const stateOf = async (key: string): Promise<LimitState> => {
  const [row] = await db.read<{ state: string }>('select state from limits where key = $1', [key]);
  return JSON.parse(row?.state ?? 'null') as LimitState;
};

test('whatever the licenses, their order, the limits beside them and the time; or it is left to the node', async () => {
  await fc.assert(fc.asyncProperty(kinds, flushes, compare), { numRuns: 80 });
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 20, `${what}: ${times}`);
});

const plain = (units: number): LicenseKind => ({ units, denies: true, alerts: [], isTerm: false, told: false });
const asks = (chain: number, count: number, more: Partial<Ask> = {}): Ask[] =>
  Array.from({ length: count }, () => ({ chain, spends: true, limit: null, ...more }));

async function isAlone(units: readonly number[], ...groups: Ask[][]): Promise<boolean[]> {
  const one = new Case(Array.from({ length: LICENSES }, (_, i) => plain(units[i] ?? 1_000)));
  await one.open(START);
  const alone: boolean[] = [];
  for (const group of groups) {
    const { row } = await ask(
      group.map((each) => one.toEntry(each, START)),
      START,
    );
    alone.push(parseNumbers(row.unfit).length === 0);
  }
  return alone;
}

test('the server passes over what is used up, within one flush and later, and refuses once that was announced', async () => {
  assert.deepEqual(await isAlone([0, 3, 5], asks(1, 6), asks(1, 2)), [true, true]);
  // The first refusal is announced, and only a node can write that.
  assert.deepEqual(await isAlone([0, 3, 5], asks(1, 9)), [false]);
  const one = new Case(Array.from({ length: LICENSES }, () => plain(3)));
  await one.open(START);
  await one.write(quotaKey(one.nameOf(0)), [1, START - DAY_MS, 3, 0, 0, 0, 1, 1]);
  const { row, claimed } = await ask(
    asks(0, 2).map((each) => one.toEntry(each, START)),
    START,
  );
  assert.deepEqual(readUnfit(row, claimed), []);
  assert.deepEqual(readAnswers(row, claimed), [2, 0, 3, 2, 0, 3]);
});

test('with a limit too, and with licenses in several chains, the server answers while there is enough', async () => {
  assert.deepEqual(await isAlone([], asks(0, 20, { limit: 0 })), [true]);
  assert.deepEqual(await isAlone([], asks(0, 21, { limit: 0 })), [false]);
  assert.deepEqual(await isAlone([5], asks(0, 6, { limit: 1 })), [false]);
  assert.deepEqual(await isAlone([], [...asks(4, 3), ...asks(5, 3)]), [true]);
  assert.deepEqual(await isAlone([0, 0, 0, 0, 0, 0, 0, 0, 5], [...asks(4, 3), ...asks(5, 3)]), [false]);
});

test('a node takes distinct content, other terms, counts that are not there or not settled, and new periods', async () => {
  const one = new Case(Array.from({ length: LICENSES }, () => plain(100)));
  await one.open(START);
  const own = one.toEntry({ chain: 0, spends: true, limit: null }, START);
  const [offer] = own.quota?.offers ?? [];
  const span = offer?.quota as QuotaSpan;
  const withSpan = (more: Partial<QuotaSpan>): Entry =>
    entry({
      quota: { offers: [{ licenseId: span.licenseId, quota: { ...span, ...more } }], content: null, spends: true },
    });
  const claimedOf = (...entries: Entry[]) => claimedBy([{ at: START, freshUntil: 0, receipt: undefined, entries }]);
  assert.equal(claimedOf(withSpan({ unit: 'distinct_content' })), undefined);
  assert.equal(claimedOf(own, withSpan({ version: 2 })), undefined);
  const isUnfit = async (each: Entry, at = START): Promise<void> => {
    const { row, claimed } = await ask([each], at);
    assert.deepEqual(readUnfit(row, claimed), [quotaKey(span.licenseId)]);
    assert.equal(row.seqs, null);
  };
  await isUnfit(withSpan({ version: 2 }));
  await isUnfit(own, span.until);
  await isUnfit(own, span.from - 1);
  await isUnfit(withSpan({ start: LATER, from: 0 }));
  await isUnfit(withSpan({ period: 'term', start: 1 }));
  await one.write(quotaKey(span.licenseId), [1, span.start, 0, 0, START + 1, 0, 0, 1]);
  await isUnfit(own);
  await db.write([{ sql: 'delete from limits where key = $1', params: [quotaKey(span.licenseId)] }]);
  await isUnfit(own);
});
