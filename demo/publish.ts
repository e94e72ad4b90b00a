/** The publisher's part: policies, catalogue and customers, through the API. Done again, it edits what is there. */
import type { Api } from './api.ts';
import type { Listed } from './catalogue.ts';
import { PARTNERS, registerPartners } from './partners.ts';
import { putPolicies } from './policies.ts';
import { count, dim, progress, say } from './terminal.ts';

const ITEMS_AT_ONCE = 1_000;

export async function publish(api: Api, catalogue: readonly Listed[], signal: AbortSignal): Promise<void> {
  const { ids, created, edited } = await putPolicies(api);
  say(`   ${Object.keys(ids).length} policies in force ${dim(`(${created} created, ${edited} edited)`)}`);
  const line = progress('bulk upsert ', catalogue.length, 'items');
  const totals = { created: 0, updated: 0, failed: 0 };
  for (let i = 0; i < catalogue.length; i += ITEMS_AT_ONCE) {
    signal.throwIfAborted();
    const items = catalogue.slice(i, i + ITEMS_AT_ONCE).map(({ item, policy }) => ({ ...item, policyId: ids[policy] }));
    const answer = await api.send<typeof totals & { errors: { externalId: string; message: string }[] }>(
      'POST',
      '/v1/content/bulk-upsert',
      { items },
    );
    const [wrong] = answer.errors;
    if (wrong !== undefined) throw new Error(`${wrong.externalId} was refused: ${wrong.message}`);
    totals.created += answer.created;
    totals.updated += answer.updated;
    line.to(Math.min(catalogue.length, i + ITEMS_AT_ONCE));
  }
  line.to(catalogue.length);
  line.end();
  await registerPartners(api);
  const archived = await archive(api, catalogue);
  const types = Map.groupBy(catalogue, ({ item }) => item.type);
  const sizes = [...types]
    .map(([type, list]) => `${count(list.length)} ${type}${list.length === 1 ? '' : 's'}`)
    .join(', ');
  say(
    `   ${dim(`${sizes}; ${count(totals.created)} new, ${count(totals.updated)} updated; ${archived} archived; ${PARTNERS.length} customers licensed`)}`,
  );
}

/** An upsert never un-archives, so this is done once. */
async function archive(api: Api, catalogue: readonly Listed[]): Promise<number> {
  const done = await api.get<{ data: { externalId: string }[] }>('/v1/content?status=archived&limit=100');
  const there = new Set(done.data.map(({ externalId }) => externalId));
  const wanted = catalogue.filter(({ archived }) => archived);
  for (const { item } of wanted) {
    if (there.has(item.externalId)) continue;
    await api.send('PATCH', `/v1/content/${encodeURIComponent(item.externalId)}`, { status: 'archived' });
  }
  return wanted.length;
}
