/** Publishes policies, catalog and customers through the API. Running it again updates what is there. */
import type { Postern } from '../client/src/client.ts';
import type { Listed } from './catalog.ts';
import { PARTNERS, registerPartners } from './partners.ts';
import { putPolicies } from './policies.ts';
import { publishSite } from './site.ts';
import { count, dim, progress, say } from './terminal.ts';

const BATCH = 1_000;

export async function publish(postern: Postern, catalog: readonly Listed[], signal: AbortSignal): Promise<void> {
  const { ids, created, edited } = await putPolicies(postern);
  say(`   ${Object.keys(ids).length} policies in force ${dim(`(${created} created, ${edited} edited)`)}`);
  const line = progress('bulk upsert ', catalog.length, 'items');
  const totals = { created: 0, updated: 0, unchanged: 0 };
  for (let i = 0; i < catalog.length; i += BATCH) {
    signal.throwIfAborted();
    const items = catalog.slice(i, i + BATCH).map(({ item, policy }) => ({ ...item, policyId: ids[policy] }));
    const answer = await postern.bulkUpsertContent({ items });
    const [failed] = answer.errors;
    if (failed !== undefined) throw new Error(`${failed.externalId} was refused: ${failed.message}`);
    totals.created += answer.created;
    totals.updated += answer.updated;
    totals.unchanged += answer.unchanged;
    line.to(Math.min(catalog.length, i + BATCH));
  }
  line.to(catalog.length);
  line.end();
  await registerPartners(postern);
  await publishSite(postern, ids.harborTimes);
  const archived = await archive(postern, catalog);
  const types = Map.groupBy(catalog, ({ item }) => item.type);
  const sizes = [...types]
    .map(([type, list]) => `${count(list.length)} ${type}${list.length === 1 ? '' : 's'}`)
    .join(', ');
  say(
    `   ${dim(`${sizes}; ${count(totals.created)} new, ${count(totals.updated)} updated, ${count(totals.unchanged)} unchanged; ${archived} archived; ${PARTNERS.length} customers licensed`)}`,
  );
}

/** Archives withdrawn items once; an upsert never restores them. */
async function archive(postern: Postern, catalog: readonly Listed[]): Promise<number> {
  const { data } = await postern.listContent({ status: 'archived', limit: 100 });
  const done = new Set(data.map(({ externalId }) => externalId));
  const wanted = catalog.filter(({ archived }) => archived);
  for (const { item } of wanted) {
    if (!done.has(item.externalId)) await postern.updateContent(item.externalId, { status: 'archived' });
  }
  return wanted.length;
}
