/**
 * Licenses with quotas, for the proofs, and a second count of what they used: over the rows of the decisions in the
 * order of their numbers. Every row and every answer must say what this count says: no unit is given twice, none is
 * lost, a license that is used up is passed over, and each part of a quota is announced once.
 */
import assert from 'node:assert/strict';
import type { Random } from '../kit/random.ts';
import { REASONS } from '../src/rules/reason.ts';

export type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body: any; text: string }>;

interface Quota {
  units: number;
  period: 'term' | 'year' | 'quarter' | 'day';
  onExceed: 'deny' | 'allow';
}

export interface HeldLicense {
  id: string;
  unit: 'decision' | 'distinct_content';
  /** null: not yet. */
  quota: Quota | null;
  /** The quota came later: some nodes may not have known it at first. */
  isLate: boolean;
  isAmended: boolean;
}

export interface QuotaHolder {
  requesterId: string;
  /** In the order in which they serve. */
  licenses: HeldLicense[];
}

const ITEMS = 40;
export const quotaItems = Array.from({ length: ITEMS }, (_, i) => `quota-${i}`);
/** In tenths of a quota. */
const ALERTS = [5, 8, 10];
const DAY_MS = 86_400_000;
const FAR = '2190-01-01T00:00:00.000Z';

type Given = Pick<HeldLicense, 'unit'> & { quota: Quota | null; expiresAt?: string };

/** By the name of the holder; `units`: about how many a quota includes. */
const holdersOf = (units: number): Record<string, Given[]> => {
  const few = Math.ceil(ITEMS / 2);
  const given = (unit: HeldLicense['unit'], quota: Quota): Given => ({ unit, quota });
  return {
    scarce: [given('decision', { units, period: 'term', onExceed: 'deny' })],
    open: [given('decision', { units: Math.ceil(units / 4), period: 'year', onExceed: 'allow' })],
    daily: [given('decision', { units, period: 'day', onExceed: 'deny' })],
    distinct: [given('distinct_content', { units: few, period: 'year', onExceed: 'deny' })],
    'distinct-open': [given('distinct_content', { units: 5, period: 'quarter', onExceed: 'allow' })],
    pair: [
      { ...given('decision', { units, period: 'term', onExceed: 'deny' }), expiresAt: FAR },
      given('distinct_content', { units: few, period: 'year', onExceed: 'deny' }),
    ],
  };
};

/** Holders whose terms change while checks go on. */
const CHANGING = { late: null, raised: { units: 50, period: 'year', onExceed: 'deny' } } as const;

const termsOf = (unit: HeldLicense['unit'], quota: Quota) => ({
  currency: 'EUR',
  timezone: 'UTC',
  period: 'year',
  unit,
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
  quota,
});

async function made(ask: Ask, path: string, body: object): Promise<any> {
  const reply = await ask('POST', path, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** Items that only a license opens, half of them under a rate limit too. */
export async function setQuotaItems(ask: Ask): Promise<void> {
  const licensed = { action: 'allow', conditions: { hasValidLicense: true } };
  const limited = { ...licensed, rateLimit: { requests: 100, period: 'second', scope: 'requester' } };
  const policies = [
    await made(ask, '/v1/policies', { name: 'licensed', rules: [licensed] }),
    await made(ask, '/v1/policies', { name: 'licensed, with a limit', rules: [limited] }),
  ];
  for (const [i, externalId] of quotaItems.entries()) {
    const item = { externalId, title: externalId, type: 'article', source: `https://quota.example/${i}` };
    await made(ask, '/v1/content', { ...item, policyId: policies[i % 2].id });
  }
}

/** `changing`: also holders whose terms change. */
export async function setQuotaHolders(
  ask: Ask,
  { name, units, changing }: { name: string; units: number; changing: boolean },
): Promise<QuotaHolder[]> {
  const all = { ...holdersOf(units), ...(changing ? toGiven(CHANGING) : {}) };
  const holders: QuotaHolder[] = [];
  for (const [kind, given] of Object.entries(all)) {
    const requesterId = `${name}:${kind}`;
    await made(ask, '/v1/requesters', { id: requesterId });
    const licenses: HeldLicense[] = [];
    for (const { unit, quota, expiresAt } of given) {
      const terms = quota === null ? {} : { terms: termsOf(unit, quota) };
      const body = { requesterId, type: 'commercial', ...terms, ...(expiresAt === undefined ? {} : { expiresAt }) };
      const { id } = await made(ask, '/v1/licenses', body);
      licenses.push({ id, unit, quota, isLate: quota === null, isAmended: kind in CHANGING });
    }
    holders.push({ requesterId, licenses });
  }
  return holders;
}

const toGiven = (quotas: Record<string, Quota | null>): Record<string, Given[]> =>
  Object.fromEntries(Object.entries(quotas).map(([kind, quota]) => [kind, [{ unit: 'decision', quota }]]));

/**
 * Edits the terms of a holder, as another request does beside the checks: more units, and now and then another period,
 * so that the license is counted from the records again. `asked`: how many checks it was asked at most.
 */
export async function amend(ask: Ask, { licenses }: QuotaHolder, asked: number, random: Random): Promise<void> {
  const [license] = licenses as [HeldLicense];
  const { quota } = license;
  const next: Quota = {
    // A node that does not know the first terms yet must not meet their end.
    units: quota === null ? asked + 2_000 : quota.units + random.int(50, 400),
    period: random.pick(['year', 'quarter', 'term']),
    onExceed: 'deny',
  };
  const reply = await ask('PATCH', `/v1/licenses/${license.id}`, {
    terms: termsOf(license.unit, next),
    ...(quota === null ? {} : { effective: 'now' }),
  });
  if (reply.status === 503) return;
  assert.equal(reply.status, 200, reply.text);
  license.quota = next;
}

/** A decision in the records. */
export interface QuotaRow {
  seq: number;
  at: number;
  reason: number;
  requesterId: string | null;
  licenseId: string | null;
  /** The external id of the item. */
  item: string;
  /** JSON: units, used, period, reset. */
  quota: string | null;
}

/** The events of a license: their kinds, with the threshold of each. */
export interface QuotaNotice {
  licenseId: string;
  kind: string;
  threshold: number | null;
}

interface Count {
  license: HeldLicense;
  used: number;
  contents: Set<string>;
  day: number;
  /** The alerts that were reached, over all days. */
  alerts: number;
  exceeded: number;
  isExceeded: boolean;
}

/** The second count. Rows come in the order of their numbers, also in parts. */
export class QuotaBooks {
  readonly #holders = new Map<string, { holder: QuotaHolder; counts: Count[] }>();
  rows = 0;
  allowed = 0;

  add(holders: readonly QuotaHolder[]): void {
    for (const holder of holders) {
      if (this.#holders.has(holder.requesterId)) continue;
      const counts = holder.licenses.map((license) => ({
        license,
        used: 0,
        contents: new Set<string>(),
        day: 0,
        alerts: 0,
        exceeded: 0,
        isExceeded: false,
      }));
      this.#holders.set(holder.requesterId, { holder, counts });
    }
  }

  /** Throws AssertionError for a row that says something else than the count. */
  take(row: QuotaRow): void {
    const known = this.#holders.get(row.requesterId ?? '');
    if (known === undefined) return;
    this.rows++;
    const { counts } = known;
    for (const count of counts) beginDay(count, row.at);
    if (row.reason === REASONS.rate_limit_exceeded.code) return;
    const where = `decision ${row.seq} of ${row.requesterId}`;
    if (row.reason === REASONS.quota_exceeded.code) {
      this.#refused(row, counts, where);
      return;
    }
    assert.equal(row.reason, 0, where);
    this.allowed++;
    const serving = counts.findIndex(({ license }) => license.id === row.licenseId);
    assert.ok(serving !== -1, `${where}: served by ${row.licenseId}`);
    for (const before of counts.slice(0, serving)) {
      assert.ok(isUsedUp(before, row.item), `${where}: ${before.license.id} was passed over with units left`);
    }
    spend(counts[serving] as Count, row, where);
  }

  #refused(row: QuotaRow, counts: readonly Count[], where: string): void {
    const named = counts.find(({ license }) => license.id === row.licenseId);
    assert.ok(named !== undefined && row.quota !== null, where);
    if (named.license.isAmended) {
      const [units, used] = JSON.parse(row.quota) as [number, number];
      assert.ok(used >= units, `${where}: denied with ${units - used} units left`);
    } else {
      for (const count of counts) assert.ok(isUsedUp(count, row.item), `${where}: denied with units left`);
    }
    tellsUsed(named, row, where);
    exceed(named);
  }

  /** Compares what the service says is used, and what it announced; returns the number of licenses. */
  async compare(ask: Ask, notices: readonly QuotaNotice[], holders: readonly QuotaHolder[]): Promise<number> {
    const told = Map.groupBy(notices, ({ licenseId }) => licenseId);
    let licenses = 0;
    for (const { counts } of this.#of(holders)) {
      for (const count of counts) {
        beginDay(count, Date.now());
        await this.#compareOne(ask, count, told.get(count.license.id) ?? []);
        licenses++;
      }
    }
    return licenses;
  }

  #of(holders: readonly QuotaHolder[]): { holder: QuotaHolder; counts: Count[] }[] {
    return holders.flatMap(({ requesterId }) => this.#holders.get(requesterId) ?? []);
  }

  async #compareOne(ask: Ask, count: Count, notices: readonly QuotaNotice[]): Promise<void> {
    const { license, used, alerts, exceeded } = count;
    const { id, quota } = license;
    if (quota !== null) {
      const usage = await ask('GET', `/v1/licenses/${id}/usage`);
      assert.equal(usage.status, 200, usage.text);
      assert.equal(usage.body.quota.used, used, `${id}: used, counted from the records`);
    }
    const thresholds = notices.filter(({ kind }) => kind === 'license.threshold_reached');
    const ends = notices.filter(({ kind }) => kind === 'license.quota_exceeded');
    if (license.isAmended) {
      // More units may begin the parts anew.
      assert.ok(thresholds.length >= alerts && ends.length >= exceeded, `${id}: announced`);
      return;
    }
    assert.deepEqual([thresholds.length, ends.length], [alerts, exceeded], `${id}: announced`);
  }

  /** A peek at each license, by a check that is not recorded: the stored count agrees. */
  async peek(ask: Ask, holders: readonly QuotaHolder[]): Promise<void> {
    for (const { holder, counts } of this.#of(holders)) {
      if (counts.every(({ license }) => license.quota === null)) continue;
      for (const count of counts) beginDay(count, Date.now());
      // Even items have no rate limit.
      const item = quotaItems[0] as string;
      const body = { contentId: item, requesterId: holder.requesterId, dryRun: true };
      const reply = await ask('POST', '/v1/access/check', body);
      assert.equal(reply.status, 200, reply.text);
      const { allowed, licenseId, quota } = reply.body;
      const named = counts.find(({ license }) => license.id === licenseId) as Count;
      assert.equal(quota?.used, named.used, `${holder.requesterId}: the stored count: ${reply.text}`);
      if (!named.license.isAmended) assert.equal(allowed, !counts.every((one) => isUsedUp(one, item)), reply.text);
    }
  }
}

function beginDay(count: Count, at: number): void {
  if (count.license.quota?.period !== 'day') return;
  const day = Math.floor(at / DAY_MS);
  if (day === count.day) return;
  Object.assign(count, { day, used: 0, isExceeded: false, contents: new Set() });
}

/** Returns whether the license has no unit for the item. */
function isUsedUp({ license, used, contents }: Count, item: string): boolean {
  const { quota, unit } = license;
  if (quota === null || quota.onExceed === 'allow' || used < quota.units) return false;
  return unit === 'decision' || !contents.has(item);
}

function spend(count: Count, row: QuotaRow, where: string): void {
  const { license, contents } = count;
  const isNew = license.unit === 'decision' || !contents.has(row.item);
  contents.add(row.item);
  if (isNew) count.used++;
  tellsUsed(count, row, where);
  if (license.isAmended) return;
  const { units } = license.quota as Quota;
  if (!isNew) return;
  const tenths = count.used * 10;
  count.alerts += ALERTS.filter((part) => tenths - 10 < part * units && tenths >= part * units).length;
  if (count.used > units) exceed(count);
}

function exceed(count: Count): void {
  if (!count.isExceeded) count.exceeded++;
  count.isExceeded = true;
}

function tellsUsed({ license, used }: Count, { quota }: QuotaRow, where: string): void {
  if (quota === null) {
    assert.ok(license.isLate, `${where}: without a quota`);
    return;
  }
  const [units, told] = JSON.parse(quota) as [number, number];
  if (license.quota?.onExceed === 'deny') assert.ok(told <= units, `${where}: unit ${told} of ${units}`);
  // What a node records that does not know the first terms yet may have an earlier number and come later.
  if (license.isLate) assert.ok(told <= used, `${where}: ${told} used, and only ${used} are counted`);
  else assert.equal(told, used, `${where}: the number of its unit`);
}
