/**
 * Compares a restarted service, over the API and in its file, with the answers its clients received. Throws
 * AssertionError for anything lost, duplicated, half done or miscounted.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../kit/answer.ts';
import type { Running } from '../../kit/launch.ts';
import type { Random } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import { REASONS, type Reason } from '../../src/rules/reason.ts';
import { QuotaBooks, type QuotaNotice } from '../quotas.ts';
import { type Book, type Decided, gone, type Item, type Sent, there } from './book.ts';
import { becomes, checkHolders, readHolder, sorted } from './holder.ts';
import { askOf, LIMIT_NAMES, LIMITS, type LimitName, type Round, type Stage } from './workload.ts';

const USAGE_WITHIN_MS = 20_000;

interface Row {
  seq: number;
  at: number;
  content_no: number;
  requester_id: string | null;
  policy_id: string;
  policy_version: number;
  reason: number;
  rule_index: number | null;
  limit_remaining: number | null;
  license_id: string | null;
  quota: string | null;
  purpose: string | null;
  external_id: string | null;
}

export interface Found {
  rows: number;
  unknownKept: number;
  unknownLost: number;
  replayed: number;
  policyVersions: number;
  quotaUses: number;
}

export class Verifier {
  readonly #book: Book;
  readonly #stage: Stage;
  readonly #file: string;
  /** Place of every check's row, by token, over all rounds. */
  readonly #places = new Map<string, number>();
  #lastSeq = 0;
  readonly #quotas = new QuotaBooks();
  readonly found: Found = { rows: 0, unknownKept: 0, unknownLost: 0, replayed: 0, policyVersions: 0, quotaUses: 0 };

  constructor(book: Book, stage: Stage, dataDir: string) {
    this.#book = book;
    this.#stage = stage;
    this.#file = join(dataDir, 'postern.db');
  }

  /** After each restart. `whole` looks at everything since the beginning instead of at what is new. */
  async verify(service: Running, random: Random, round: Round | undefined, whole = false): Promise<void> {
    const unknown = this.#book.unknown;
    this.#book.unknown = [];
    for (const sent of unknown) await this.#resolve(service, sent);
    await this.#repeat(service, random, whole ? 60 : 6);
    const file = new DatabaseSync(this.#file, { readOnly: true });
    try {
      const rows = this.#newRows(file);
      this.#quotas.add(round?.quotaHolders ?? []);
      this.#checkRows(rows);
      this.#checkUnknown(unknown);
      this.#checkPolicyVersions(file);
      this.#checkChanges(file);
      if (round !== undefined) {
        await this.#checkLimits(service, file, round);
        await this.#checkQuotas(service, file, round);
      }
      await this.#checkUsage(service, file);
      await this.#checkStats(service, file, random);
      if (whole) await this.#checkStream(service, file);
      this.#checkContent(file);
      checkHolders(file, this.#book.holders);
      if (whole || random.chance(0.1)) {
        const [integrity] = file.prepare('pragma integrity_check').all();
        assert.equal(integrity?.integrity_check, 'ok');
      }
    } finally {
      file.close();
    }
    await this.#checkItems(service, random, whole);
    for (const holder of this.#book.holders.slice(whole ? -100 : -5)) {
      assert.deepEqual(await readHolder(service, holder), sorted(holder.state), holder.id);
    }
    await this.#checkLog(service, random, whole ? 100 : 5);
  }

  /** A request whose connection broke: repeated if it can be, else looked up. */
  async #resolve(service: Running, sent: Sent): Promise<void> {
    if (sent.idempotencyKey !== undefined) {
      const reply = await service.ask(sent.method, sent.path, { body: sent.body, idempotencyKey: sent.idempotencyKey });
      if (reply.headers.get('idempotent-replayed') === 'true') this.found.unknownKept++;
      else this.found.unknownLost++;
      this.#book.settle(sent, reply);
      return;
    }
    if (sent.kind === 'create' || sent.kind === 'update' || sent.kind === 'delete') {
      const seen = await this.#read(service, sent.item);
      const { item, title } = sent;
      const before = { exists: item.exists, title: item.title, revision: item.revision };
      const after = sent.kind === 'delete' ? { exists: false } : { exists: true, title, revision: item.revision + 1 };
      const happened = seen.exists ? seen.revision !== before.revision : sent.kind === 'delete';
      if (!happened) {
        assert.deepEqual(seen, before.exists ? before : { exists: false }, 'half an edit');
        this.found.unknownLost++;
        return;
      }
      assert.deepEqual(seen, after, 'half an edit');
      this.found.unknownKept++;
      if (sent.kind === 'delete') gone(item);
      else there(item, title, item.revision + 1);
    } else if (sent.kind === 'holder') {
      const seen = await readHolder(service, sent.holder);
      const happened = isDeepStrictEqual(seen, sorted(sent.after));
      if (!happened) assert.deepEqual(seen, sorted(sent.holder.state), 'half an edit');
      this.found[happened ? 'unknownKept' : 'unknownLost']++;
      if (happened) becomes(sent.holder, sent.after);
    } else if (sent.kind === 'bulk-create' || sent.kind === 'bulk-delete') {
      const seen = await Promise.all(sent.items.map((item) => this.#read(service, item)));
      const exist = seen.filter(({ exists }) => exists).length;
      assert.ok(exist === 0 || exist === seen.length, `half a bulk edit: ${exist} of ${seen.length}`);
      const happened = sent.kind === 'bulk-create' ? exist > 0 : exist === 0;
      this.found[happened ? 'unknownKept' : 'unknownLost']++;
      if (!happened) return;
      for (const item of sent.items) {
        if (sent.kind === 'bulk-create') there(item, item.externalId, 1);
        else gone(item);
      }
    }
  }

  async #read(service: Running, item: Item): Promise<{ exists: boolean; title?: string; revision?: number }> {
    const reply = await readItem(service, item.externalId);
    if (reply.status === 404) return { exists: false };
    assert.equal(reply.status, 200, reply.text);
    const revision = Number(/-(\d+)"$/.exec(reply.headers.get('etag') ?? '')?.[1]);
    item.id ??= reply.body.id as string;
    assert.equal(reply.body.id, item.id);
    return { exists: true, title: reply.body.title as string, revision };
  }

  /** A repeated request has the same answer, byte for byte, and no second effect. */
  async #repeat(service: Running, random: Random, times: number): Promise<void> {
    const { repeatable } = this.#book;
    for (let i = 0; i < times && repeatable.length > 0; i++) {
      const recent = random.int(Math.max(0, repeatable.length - 200), repeatable.length - 1);
      const sent = repeatable[random.chance(0.7) ? recent : random.int(0, repeatable.length - 1)] as Sent;
      const { body, idempotencyKey } = sent;
      const reply = await service.ask(sent.method, sent.path, { body, idempotencyKey });
      assert.equal(reply.status, sent.reply?.status, reply.text);
      assert.equal(reply.text, sent.reply?.text);
      assert.equal(reply.headers.get('idempotent-replayed'), 'true');
      this.found.replayed++;
    }
  }

  #newRows(file: DatabaseSync): Row[] {
    const rows = file
      .prepare(
        `select d.seq, d.at, d.content_no, d.requester_id, v.policy_id, d.policy_version, d.reason, d.rule_index,
           d.limit_remaining, d.license_id, d.quota, d.purpose, c.external_id
         from decisions as d left join content as c on c.no = d.content_no
         join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version
         where d.seq > ? order by d.seq`,
      )
      .all(this.#lastSeq) as unknown as Row[];
    this.#lastSeq = rows.at(-1)?.seq ?? this.#lastSeq;
    return rows;
  }

  /** Each row is of a check that was asked, and as it was answered; none is there twice. */
  #checkRows(rows: readonly Row[]): void {
    for (const row of rows) {
      const token = row.purpose ?? '';
      const check = this.#book.checks.get(token);
      assert.ok(check !== undefined, `a row that nobody asked for: ${JSON.stringify(row)}`);
      assert.ok(!this.#places.has(token), `a check recorded twice: ${token}`);
      this.#places.set(token, row.seq);
      this.found.rows++;
      assert.equal(row.requester_id, check.item.requesterId);
      if (row.external_id !== null) assert.equal(row.external_id, check.item.content);
      this.#quotas.take({
        ...row,
        requesterId: row.requester_id,
        licenseId: row.license_id,
        item: check.item.content,
      });
      const { decision } = check;
      if (decision === null) continue;
      assert.deepEqual(parseDecisionId(decision.id)?.seq, row.seq, token);
      assert.equal(Date.parse(decision.created), row.at);
      assert.equal(row.reason, decision.reason === null ? 0 : REASONS[decision.reason as Reason].code);
      assert.equal(row.policy_version, decision.policyVersion);
      assert.equal(row.rule_index, decision.matchedRule?.index ?? null);
      assert.equal(row.limit_remaining, decision.rateLimit?.remaining ?? null);
      assert.equal(row.license_id, decision.licenseId);
      const [units, used] = JSON.parse(row.quota ?? '[]') as number[];
      assert.deepEqual([decision.quota?.units, decision.quota?.used], [units, used]);
    }
    this.found.quotaUses = this.#quotas.allowed;
    for (const [token, { item, decision }] of this.#book.checks) {
      if (decision === null || this.#places.has(token)) continue;
      const deleted = this.#book.items.get(item.content)?.deleted === true;
      assert.ok(deleted, `an acknowledged decision is not there: ${decision.id} (${token})`);
      this.#places.set(token, 0);
    }
  }

  /** A check that was never answered may be there or not; of a batch all or none. */
  #checkUnknown(unknown: readonly Sent[]): void {
    for (const sent of unknown) {
      if ((sent.kind !== 'check' && sent.kind !== 'batch') || sent.idempotencyKey !== undefined) continue;
      const recorded = sent.checks.filter(
        ({ recorded: leavesRow, content }) => leavesRow && this.#book.items.get(content)?.deleted !== true,
      );
      if (recorded.length === 0) continue;
      const kept = recorded.filter(({ token }) => this.#places.has(token)).length;
      assert.ok(kept === 0 || kept === recorded.length, `half a batch: ${kept} of ${recorded.length}`);
      this.found[kept === 0 ? 'unknownLost' : 'unknownKept']++;
    }
  }

  /** No gap, nothing twice, every acknowledged edit under the number that was answered. */
  #checkPolicyVersions(file: DatabaseSync): void {
    const versions = file
      .prepare('select version, description from policy_versions where policy_id = ? order by version')
      .all(this.#stage.editedPolicyId) as { version: number; description: string | null }[];
    const byToken = new Map<string, number>();
    for (const [i, { version, description }] of versions.entries()) {
      assert.equal(version, i + 1, 'a gap in the versions');
      if (i === 0) continue;
      assert.ok(description !== null && this.#book.policyEdits.has(description), 'a version that nobody asked for');
      assert.ok(!byToken.has(description), 'an edit that made two versions');
      byToken.set(description, version);
    }
    for (const [token, version] of this.#book.policyEdits) {
      if (version !== null) assert.equal(byToken.get(token), version, `the acknowledged edit ${token}`);
    }
    const [policy] = file.prepare('select version from policies where id = ?').all(this.#stage.editedPolicyId);
    assert.equal(policy?.version, versions.length);
    this.found.policyVersions = versions.length;
  }

  /** An edit and its entry in the log of changes are there together: one entry for each revision. */
  #checkChanges(file: DatabaseSync): void {
    const wrong = file
      .prepare(
        `with made as (select object_id, count(*) as n from changes group by object_id)
         select id, revision, n from content left join made on object_id = id where revision <> coalesce(n, 0) union all
         select id, version, n from policies left join made on object_id = id
         where version <> coalesce(n, 0) and id <> 'pol_default'`,
      )
      .all();
    assert.deepEqual(wrong, [], 'an edit without its change, or a change without its edit');
  }

  /** Rows, the stored state and what the service says is left agree; nothing was admitted beyond the number. */
  async #checkLimits(service: Running, file: DatabaseSync, round: Round): Promise<void> {
    for (const name of LIMIT_NAMES) {
      const { requests } = LIMITS[name];
      const policy = file.prepare('select no from policies where id = ?').get(this.#stage.limitPolicyIds[name]);
      for (const group of groupsOf(name, round)) {
        const content = file.prepare('select no from content where external_id = ?').get(group.content);
        const rows = file
          .prepare(
            `select d.at, d.reason, d.limit_remaining from decisions as d join content as c on c.no = d.content_no
             where c.external_id = ? and (? is null or d.requester_id = ?) order by d.seq`,
          )
          .all(group.content, group.requesterId, group.requesterId) as Pick<Row, 'at' | 'reason' | 'limit_remaining'>[];
        const current = periodStart(name);
        let used = 0;
        for (const row of rows.filter(({ at }) => at >= current)) {
          const admitted = used < requests;
          assert.equal(row.reason, admitted ? 0 : REASONS.rate_limit_exceeded.code, `${name}: use ${used}`);
          if (admitted) used++;
          assert.equal(row.limit_remaining, requests - used, `${name}: what a row says is left`);
        }
        const states = file
          .prepare('select state from limits where key like ?')
          .all(`${policy?.no}.%.${group.whose ?? `c${content?.no}`}`) as { state: string }[];
        const kept = states.map(({ state }) => usedIn(JSON.parse(state) as number[], name));
        assert.equal(
          kept.reduce((sum, one) => sum + one, 0),
          used,
          `${name}: the stored state`,
        );
        const reply = await service.ask('POST', '/v1/access/check', {
          body: {
            contentId: group.content,
            ...(group.requesterId === null ? {} : { requesterId: group.requesterId }),
            dryRun: true,
          },
        });
        assert.equal(reply.body.rateLimit.remaining, requests - used, `${name}: what is said to be left`);
        assert.equal(reply.body.allowed, used < requests);
      }
    }
  }

  /** The stored counts, what is counted from the records, and what was announced agree with the second count. */
  async #checkQuotas(service: Running, file: DatabaseSync, { quotaHolders }: Round): Promise<void> {
    const rows = file
      .prepare(
        `select e.object_id, e.kind, d.object from events as e left join change_data as d on d.id = e.id
         where e.kind in ('license.threshold_reached', 'license.quota_exceeded')`,
      )
      .all() as { object_id: string; kind: string; object: string }[];
    const notices = rows.map(
      ({ object_id: licenseId, kind, object }): QuotaNotice => ({
        licenseId,
        kind,
        threshold: JSON.parse(object).threshold ?? null,
      }),
    );
    await this.#quotas.peek(askOf(service), quotaHolders);
    await this.#quotas.compare(askOf(service), notices, quotaHolders);
  }

  async #checkUsage(service: Running, file: DatabaseSync): Promise<void> {
    const [row] = file
      .prepare(
        `select count(*) as total, coalesce(sum(reason = 0), 0) as allowed, count(distinct requester_id) as requesters,
           count(distinct content_no) as content
         from decisions where content_no in (select no from content)`,
      )
      .all() as { total: number; allowed: number; requesters: number; content: number }[];
    const path = '/v1/analytics/usage?period=all';
    // While the columns are being built anew, usage may be unavailable; everything else is not.
    const reply = await until<Answer>(
      'usage',
      () => service.ask('GET', path),
      USAGE_WITHIN_MS,
      ({ status }) => {
        assert.ok(status === 200 || status === 503, String(status));
        return status === 200;
      },
    );
    const { totalRequests, allowed, denied, uniqueRequesters, uniqueContent } = reply.body.summary;
    assert.deepEqual(
      { totalRequests, allowed, denied, uniqueRequesters, uniqueContent },
      {
        totalRequests: row?.total,
        allowed: row?.allowed,
        denied: (row?.total ?? 0) - (row?.allowed ?? 0),
        uniqueRequesters: row?.requesters,
        uniqueContent: row?.content,
      },
    );
    const sum = (list: { requests?: number; count?: number }[]) =>
      list.reduce((all, { requests, count }) => all + (requests ?? count ?? 0), 0);
    assert.equal(sum(reply.body.timeSeries), totalRequests);
    assert.equal(sum(reply.body.byDenialReason), denied);
  }

  async #checkStats(service: Running, file: DatabaseSync, random: Random): Promise<void> {
    const externalId = random.pick(['limit-ring', 'limit-all', 'edited', 'open-0', 'open-1']);
    const [row] = file
      .prepare(
        `select count(*) as total, coalesce(sum(reason = 0), 0) as allowed
         from decisions where content_no = (select no from content where external_id = ?)`,
      )
      .all(externalId) as { total: number; allowed: number }[];
    const { body } = await readItem(service, externalId);
    const { totalRequests, allowedRequests, deniedRequests } = body.stats;
    assert.deepEqual([totalRequests, allowedRequests], [row?.total, row?.allowed], externalId);
    assert.equal(deniedRequests, totalRequests - allowedRequests);
  }

  /** The whole log as a stream: each decision once, newest first. */
  async #checkStream(service: Running, file: DatabaseSync): Promise<void> {
    const stored = file
      .prepare('select seq from decisions where content_no in (select no from content) order by seq desc')
      .all() as { seq: number }[];
    const reply = await service.ask('GET', '/v1/access/decisions', { headers: { accept: 'application/x-ndjson' } });
    assert.equal(reply.status, 200, reply.text.slice(0, 500));
    const streamed = reply.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseDecisionId((JSON.parse(line) as Decided).id)?.seq);
    assert.deepEqual(
      streamed,
      stored.map(({ seq }) => seq),
    );
  }

  /** Every item of the whole run, in the file. */
  #checkContent(file: DatabaseSync): void {
    const rows = file.prepare('select external_id, title, revision from content').all() as {
      external_id: string;
      title: string;
      revision: number;
    }[];
    const stored = new Map(rows.map((row) => [row.external_id, row]));
    for (const item of this.#book.items.values()) {
      const row = stored.get(item.externalId);
      assert.equal(row !== undefined, item.exists, item.externalId);
      if (row !== undefined && (row.title !== item.title || row.revision !== item.revision)) {
        assert.deepEqual(row, item);
      }
    }
    const own = rows.filter((row) => row.external_id.startsWith('own '));
    assert.equal(own.length, [...this.#book.items.values()].filter(({ exists }) => exists).length);
  }

  async #checkItems(service: Running, random: Random, whole: boolean): Promise<void> {
    const items = [...this.#book.items.values()];
    const some = whole ? items.filter(() => random.chance(200 / items.length)) : items.slice(-40);
    await Promise.all(
      some.map(async (item) => {
        const expected = item.exists ? { exists: true, title: item.title, revision: item.revision } : { exists: false };
        assert.deepEqual(await this.#read(service, item), expected, item.externalId);
      }),
    );
  }

  /** The decision log shows an acknowledged decision as it was answered. */
  async #checkLog(service: Running, random: Random, times: number): Promise<void> {
    const checks = [...this.#book.checks.values()];
    for (let i = 0; i < times && checks.length > 0; i++) {
      const { item, decision } = checks[
        random.int(Math.max(0, checks.length - 2000), checks.length - 1)
      ] as (typeof checks)[number];
      if (decision === null || this.#book.items.get(item.content)?.deleted === true) continue;
      const reply = await service.ask('GET', `/v1/access/decisions/${decision.id}`);
      assert.equal(reply.status, 200, reply.text);
      const { publicId: _, permission: __, purpose, context: ___, license: ____, ...told } = reply.body;
      assert.equal(purpose, item.token);
      assert.deepEqual(told, decision);
    }
  }
}

/** While the columns are being built anew, an item's counts, and so the item, may be unavailable. */
const readItem = (service: Running, externalId: string): Promise<Answer> =>
  until<Answer>(
    'an item',
    () => service.ask('GET', `/v1/content/${encodeURIComponent(externalId)}`),
    USAGE_WITHIN_MS,
    ({ status }) => status !== 503,
  );

interface Group {
  content: string;
  requesterId: string | null;
  /** The end of the limit's key in the store; null: the item's number there. */
  whose: string | null;
}

function groupsOf(name: LimitName, round: Round): Group[] {
  if (name === 'item') return [{ content: round.limitedItem, requesterId: null, whose: null }];
  if (name === 'all') return [{ content: 'limit-all', requesterId: null, whose: 'g' }];
  return round.requesters.map((requesterId) => ({ content: `limit-${name}`, requesterId, whose: `r${requesterId}` }));
}

/** Start of the current period; rounds are shorter than an hour and have requesters of their own. */
function periodStart(name: LimitName): number {
  const now = new Date();
  if (LIMITS[name].period === 'month') return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  if (LIMITS[name].period === 'day') return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return 0;
}

function usedIn(state: number[], name: LimitName): number {
  if (LIMITS[name].period !== 'hour') return state[0] === periodStart(name) ? (state[1] ?? 0) : 0;
  return state.reduce((sum, value, i) => (i % 2 === 1 ? sum + value : sum), 0);
}
