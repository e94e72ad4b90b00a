/** Compares what nodes report while all is quiet with the fold over what they answered. */
import assert from 'node:assert/strict';
import type { Random } from '../../kit/random.ts';
import { parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import type { ClusterNode } from '../cluster/nodes.ts';
import { type Book, type Decided, GROUPS, sorted } from './book.ts';
import { answerOf, type Scene } from './scene.ts';

const NEWEST = 100;

type Body = any;

const byId = (list: Body[], id: (one: Body) => string, value: (one: Body) => unknown): object =>
  sorted(Object.fromEntries(list.map((one) => [id(one), value(one)])));

const requests = (list: Body[], id: (one: Body) => string = (one) => one.id): object =>
  byId(list, id, (one) => one.requests);

function toReport({ summary, timeSeries, topRequesters, topContent, topPages, byDenialReason }: Body): object {
  const { totalRequests, allowed, denied, uniqueRequesters, uniqueContent, uniquePages } = summary;
  const days = timeSeries.filter((one: Body) => one.requests > 0);
  return {
    totals: [totalRequests, allowed, denied],
    unique: [uniqueRequesters, uniqueContent, uniquePages],
    days: byId(
      days,
      ({ date }) => date,
      (one) => [one.requests, one.allowed],
    ),
    requesters: requests(topRequesters),
    items: requests(topContent),
    pages: requests(topPages, ({ page }) => page),
    reasons: byId(
      byDenialReason,
      ({ reason }) => reason,
      ({ count }) => count,
    ),
  };
}

const newest = (all: readonly Decided[]): string[] =>
  all
    .toSorted(byNumber)
    .slice(-NEWEST)
    .map(({ id }) => id)
    .toReversed();

const byNumber = (a: Decided, b: Decided): number => seqOf(a) - seqOf(b);
const seqOf = ({ id }: Decided): number => parseDecisionId(id)?.seq ?? 0;

const usageOf = async (node: ClusterNode, query = ''): Promise<Body> =>
  (await answerOf(node, `/v1/analytics/usage?period=all&limit=100${query}`)).body;

async function compareReports(node: ClusterNode, book: Book, random: Random): Promise<void> {
  const usage = (query: string): Promise<Body> => usageOf(node, query);
  for (const by of Object.keys(GROUPS)) {
    const { groups } = await usage(`&groupBy=${by}`);
    const found = byId(
      groups,
      ({ id }) => String(id),
      (one) => [one.requests, one.allowed],
    );
    assert.deepEqual(found, book.groups(by), `by ${by}`);
  }
  if (book.all.length === 0) return;
  const { requesterId, contentId } = random.pick(book.all);
  if (requesterId !== null) {
    const own = await usage(`&requesterId=${encodeURIComponent(requesterId)}`);
    assert.deepEqual(
      toReport(own),
      book.report((one) => one.requesterId === requesterId),
      `of ${requesterId}`,
    );
  }
  if (contentId !== null) {
    const own = await usage(`&contentId=${contentId}`);
    assert.deepEqual(
      toReport(own),
      book.report((one) => one.contentId === contentId),
      `of ${contentId}`,
    );
  }
}

async function compareLog(node: ClusterNode, book: Book, random: Random): Promise<void> {
  const log = async (query: string, all: readonly Decided[]): Promise<void> => {
    const { data, totalCount } = (await answerOf(node, `/v1/access/decisions?limit=${NEWEST}${query}`)).body;
    assert.equal(totalCount, all.length, query);
    assert.deepEqual(
      data.map(({ id }: Body) => id),
      newest(all),
      query,
    );
  };
  await log('', book.all);
  const { requesterId, program } = random.pick(book.all);
  if (requesterId !== null) {
    const theirs = book.all.filter((one) => one.requesterId === requesterId);
    await log(`&requesterId=${encodeURIComponent(requesterId)}`, theirs);
  }
  if (program !== null) {
    await log(
      `&program=${encodeURIComponent(program)}`,
      book.all.filter((one) => one.program === program),
    );
  }
}

/** Each decision is in the export once, as it was answered. */
async function compareExport(node: ClusterNode, book: Book): Promise<void> {
  const { text } = await answerOf(node, '/v1/access/decisions', { accept: 'application/x-ndjson' });
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const toRow = ({ id, allowed, reason, requesterId, contentId, licenseId, created }: Body): string =>
    [id, allowed, allowed ? null : reason, requesterId, contentId, licenseId, created].join(' ');
  assert.equal(rows.length, book.all.length, 'exported decisions');
  assert.deepEqual(rows.map(toRow).toSorted(), book.all.map(toRow).toSorted());
}

async function compareStatements(node: ClusterNode, book: Book): Promise<void> {
  for (const month of book.months()) {
    const { data } = (await answerOf(node, `/v1/statements?limit=100&period=${month}`)).body;
    const counted = data.filter(({ decisions }: Body) => decisions > 0);
    const found = byId(
      counted,
      ({ licenseId }) => licenseId,
      ({ decisions }) => decisions,
    );
    assert.deepEqual(found, book.statements(month), `statements of ${month}`);
  }
}

/** Each decision is in one place of the records, and in one of the columns. */
async function comparePlaces({ records, clickHouse, database }: Scene, book: Book): Promise<number> {
  const [own] = await records<{ n: string }>('select count(*) as n from decisions');
  const [moved] = await records<{ n: string }>(
    `select coalesce(sum(rows), 0) as n from record_blocks where state = 'moved'`,
  );
  assert.equal(Number(own?.n) + Number(moved?.n), book.all.length, 'in the records');
  const counted = await clickHouse.query('select count(), uniqExact(seq) from decisions_v1', database);
  assert.match(counted, /^(\d+)\t\1$/, 'each decision is in a block of the columns once');
  return Number(moved?.n);
}

/** Throws where anything differs. Returns how many decisions moved. */
export async function compareAll(scene: Scene, book: Book, random: Random): Promise<number> {
  const { nodes } = scene.nodes;
  for (const node of nodes) assert.deepEqual(toReport(await usageOf(node)), book.report());
  const node = random.pick(nodes);
  await compareReports(node, book, random);
  await compareLog(random.pick(nodes), book, random);
  await compareStatements(node, book);
  await compareExport(node, book);
  return comparePlaces(scene, book);
}
