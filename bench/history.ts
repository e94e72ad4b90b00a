/**
 * Writes past decisions and large catalogs into a data directory through the product's own stores, while no service
 * runs. Only benchmarks, the demo and tests use a clock other than the machine's.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { entry } from '../kit/entry.ts';
import { seeded, skewed } from '../kit/random.ts';
import { CollectionIndex } from '../src/content/collections/collection-index.ts';
import { newContent } from '../src/content/edits.ts';
import { insertContent } from '../src/content/store.ts';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite, type SqliteDb } from '../src/db/sqlite/db.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import { toCandidateText } from '../src/decisions/ledger/codes.ts';
import type { Entry, Ledger } from '../src/decisions/ledger/ledger.ts';
import { ledgerProcedure, openSqliteLedger } from '../src/decisions/ledger/sqlite/ledger.ts';
import { newId } from '../src/lib/id.ts';
import { ensureDefaultPolicy, insertPolicy } from '../src/policies/store.ts';
import type { License } from '../src/requesters/licenses/license.ts';
import { FIRST_VALUES } from '../src/requesters/requester.ts';
import { insertLicense, insertRequester } from '../src/requesters/store.ts';
import { decide } from '../src/rules/decide.ts';
import { DEFAULT_POLICY_ID, type Rule } from '../src/rules/policy.ts';
import { reasonCode } from '../src/rules/reason.ts';
import { checksOf, compiled, contentAt, factsAt, type Item, itemAt } from './inputs.ts';

const ITEMS_AT_ONCE = 5_000;
const ENTRIES_AT_ONCE = 100;
/** Enough in flight for full flushes. */
const UNDER_WAY = 80;
const SPAN_MS = 30 * 86_400_000;
/** Outcomes of 100 decisions: allowed, denied by a rule, no license, over a limit. */
const OUTCOMES = [...Array<number>(70).fill(0), ...Array<number>(20).fill(7), ...Array<number>(7).fill(1), 3, 3, 3];

const DENIED = reasonCode('policy_denied');

export interface Store {
  db: SqliteDb;
  addPolicy(name: string, rules: readonly Rule[]): Promise<string>;
  /** Items 0 to `count` - 1 of `itemAt`, numbered from 1 in an empty store. */
  addItems(count: number, policyId: string, at?: (index: number) => Item): Promise<void>;
  /** Registers `crawler_0` to `crawler_<count - 1>` at a past time, each with a license of the type. */
  addLicensed(count: number, licenseType: string, at: number): Promise<void>;
  addDecisions(plan: DecisionPlan): Promise<void>;
  close(): Promise<void>;
}

/** Decisions on the first `items` items with skew, spread evenly over the time from `from` to `to`. */
export interface DecisionPlan {
  count: number;
  items: number;
  from: number;
  to: number;
  /** Decided by these, as a service would have; without them, outcomes in the shares of `OUTCOMES`. */
  rules?: readonly Rule[];
  /** The number of a candidate that decided them too: every tenth it denies, the others it allows. */
  candidateNo?: number;
  /** Entries of its own, by their place among all; `items`, `rules` and `candidateNo` are then without meaning. */
  entryAt?: (place: number) => Entry;
}

export const monthUntil = (to: number): { from: number; to: number } => ({ from: to - SPAN_MS, to });

const NO_EDITS = { lastEdit: 0, lastSiteEdit: 0 };

export async function openStore(dataDir: string): Promise<Store> {
  mkdirSync(dataDir, { recursive: true });
  const db = await openSqlite(join(dataDir, 'postern.db'), { procedures: ledgerProcedure });
  await migrate(db, Date.now());
  await ensureDefaultPolicy(db, Date.now());
  return {
    db,
    async addPolicy(name, rules) {
      const now = Date.now();
      const id = newId('pol_', now);
      const times = { createdAt: now, updatedAt: now };
      const policy = {
        no: 0,
        id,
        version: 1,
        name,
        description: null,
        rules: [...rules],
        defaultAction: 'deny',
      } as const;
      await db.atomic(insertPolicy({ ...policy, rules: [...rules], isDefault: false, ...times }));
      return id;
    },
    async addItems(count, policyId, at = itemAt) {
      for (let i = 0; i < count; i += ITEMS_AT_ONCE) {
        const length = Math.min(ITEMS_AT_ONCE, count - i);
        const now = Date.now();
        const inForce = { index: new CollectionIndex(), defaultPolicyId: DEFAULT_POLICY_ID, ...NO_EDITS };
        await db.atomic(
          Array.from({ length }, (_, n) =>
            insertContent(newContent(at(i + n), { policyId, ownsPolicy: 1 }, now), inForce),
          ),
        );
      }
    },
    async addLicensed(count, licenseType, at) {
      for (let i = 0; i < count; i++) {
        const id = `crawler_${i}`;
        const times = { createdAt: at, updatedAt: at };
        await db.atomic([
          ...insertRequester({
            ...FIRST_VALUES,
            no: 0,
            id,
            name: id,
            type: 'ai_crawler',
            ...times,
          }),
          ...insertLicense(licenseOf(id, licenseType, at)),
        ]);
      }
    },
    addDecisions: (plan) => addDecisions(db, plan),
    close: () => db.close(),
  };
}

const licenseOf = (requesterId: string, type: string, at: number): License => ({
  id: newId('lic_', at),
  requesterId,
  type,
  features: [],
  scope: null,
  startsAt: null,
  expiresAt: null,
  status: 'active',
  metadata: {},
  terms: null,
  termsVersion: 0,
  termsFrom: null,
  createdAt: at,
  updatedAt: at,
});

async function addDecisions(db: SqliteDb, plan: DecisionPlan): Promise<void> {
  const { count, from, to, entryAt = entriesOf(plan) } = plan;
  let now = from;
  const ledger = await openSqliteLedger(db, { now: () => Math.floor(now) });
  const underWay = new Set<Promise<unknown>>();
  for (let made = 0; made < count; made += ENTRIES_AT_ONCE) {
    now = from + ((to - from) * made) / count;
    const entries = Array.from({ length: Math.min(ENTRIES_AT_ONCE, count - made) }, (_, i) => entryAt(made + i));
    await record(ledger, entries, underWay);
  }
  await Promise.all(underWay);
  await ledger.close();
}

/** By rules or in fixed shares, on items asked for with skew. */
function entriesOf({ items, rules, candidateNo }: DecisionPlan): (place: number) => Entry {
  const outcome = rules === undefined ? randomOutcomes() : decidedBy(rules);
  const nextItem = skewed(items, seeded(11));
  const inputs = checksOf(20_000, () => '');
  const candidateAt = (place: number): string | null =>
    candidateNo === undefined ? null : toCandidateText(candidateNo, place % 10 === 0 ? DENIED : 0, 0);
  return (place) => ({
    ...entryOf(inputs[place % inputs.length] as CheckRequest, nextItem(), outcome),
    candidate: candidateAt(place),
  });
}

async function record(ledger: Ledger, entries: Entry[], underWay: Set<Promise<unknown>>): Promise<void> {
  const recording: Promise<unknown> = ledger.record(entries).then(() => underWay.delete(recording));
  underWay.add(recording);
  if (underWay.size >= UNDER_WAY) await Promise.race(underWay);
}

type Outcome = Pick<Entry, 'reason' | 'ruleIndex' | 'rulePriority'>;
type Outcomes = (check: CheckRequest, item: number) => Outcome;

function entryOf(check: CheckRequest, item: number, outcome: Outcomes): Entry {
  const { requesterId, purpose, context } = check;
  return entry({
    contentNo: item + 1,
    requesterId: requesterId ?? null,
    policyNo: 2,
    ...outcome(check, item),
    purpose: purpose ?? null,
    inputs: JSON.stringify({ context }),
  });
}

function randomOutcomes(): Outcomes {
  const random = seeded(13);
  return () => {
    const reason = random.pick(OUTCOMES);
    return reason === 0 ? { reason, ruleIndex: 6, rulePriority: 7 } : { reason, ruleIndex: 2, rulePriority: 3 };
  };
}

function decidedBy(rules: readonly Rule[]): Outcomes {
  const policy = compiled(rules);
  return (check, item) => {
    const { reason, rule } = decide(policy, factsAt(check, contentAt(item)));
    return { reason: reasonCode(reason), ruleIndex: rule?.index ?? null, rulePriority: rule?.priority ?? null };
  };
}
