/** Reports what Postern cannot do now: deliver to webhooks, verify by published lists, fetch keys of agents. */
import type { Db } from '../db/db.ts';
import { isFresh } from '../identities/list.ts';
import { findLists } from '../identities/store.ts';
import type { DirectoryState } from '../signatures/directories.ts';
import { findFailing } from '../webhooks/store.ts';
import { ITEMS_MAX, type Item } from './item.ts';

export async function failingWebhooks(db: Db): Promise<Item[]> {
  const webhooks = await findFailing(db, ITEMS_MAX + 1);
  return webhooks.map(({ id, url, status, failingSince }) => ({
    kind: 'webhook',
    severity: status === 'disabled' ? 'high' : 'medium',
    subject: { webhookId: id },
    message:
      status === 'disabled'
        ? `The webhook to ${hostOf(url)} was disabled, because its deliveries kept failing.`
        : `Deliveries to the webhook at ${hostOf(url)} fail.`,
    since: failingSince,
    path: `/v1/webhooks/${id}`,
  }));
}

/** The rest of the URL may be a secret. */
const hostOf = (url: string): string => new URL(url).host;

export async function troubledLists(db: Db, now: number): Promise<Item[]> {
  const lists = await findLists(db);
  return lists.flatMap(({ url, fetchedAt, heldSince, failures }): Item[] => {
    const common = { kind: 'identity_list', subject: { url }, path: '/v1/identity-lists' } as const;
    if (failures > 0 && !isFresh(fetchedAt, now)) {
      const message = `The list ${url} could not be fetched for too long: it verifies no visitor.`;
      return [{ ...common, severity: 'high', message, since: fetchedAt }];
    }
    if (heldSince === null) return [];
    const message = `The list ${url} shrank by more than half: the new one waits until you accept it.`;
    return [{ ...common, severity: 'medium', message, since: heldSince }];
  });
}

/** The keys as this node has them; its metrics say more. */
export const failingAgents = (directories: readonly DirectoryState[], now: number): Item[] =>
  directories
    .filter(({ state, failures }) => failures > 0 && state !== 'fresh')
    .map(({ agent, ageMs }) => ({
      kind: 'agent_keys',
      severity: 'medium',
      subject: { agent },
      message: `The keys of ${agent} cannot be fetched: its signatures prove nothing.`,
      since: ageMs === null ? null : Math.round(now - ageMs),
      path: '/metrics',
    }));
