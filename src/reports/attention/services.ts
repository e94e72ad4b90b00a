/** Reports what fails now: deliveries to webhooks, published lists, keys of agents, live files of sites. */

import type { UnreadableFigures } from '../../api/keys/unreadable.ts';
import { findFailing } from '../../api/webhooks/store.ts';
import type { Db } from '../../db/db.ts';
import type { KnownNames } from '../../decisions/visitors/names.ts';
import type { CrawlerDirectoryState } from '../../requesters/crawlers/directory-store.ts';
import { FRESH_MS, isFresh } from '../../requesters/identities/list.ts';
import { findLists } from '../../requesters/identities/store.ts';
import type { DirectoryState } from '../../requesters/signatures/directories.ts';
import { findDrifted } from '../../signals/drift/store.ts';
import { ITEMS_MAX, type Item } from './item.ts';

/** A list that was never fetched needs attention after so long: most outages end sooner. */
const UNFETCHED_MS = 86_400_000;
/** Keys are refreshed every hour. */
const UNFETCHED_KEYS_MS = 3_600_000;
/** Lists or agents up to which each has an item. */
const APART_MAX = 2;

export async function failingWebhooks(db: Db): Promise<Item[]> {
  const webhooks = await findFailing(db, ITEMS_MAX + 1);
  return webhooks.map(({ id, url, status, failingSince }) => ({
    kind: 'webhook',
    severity: status === 'disabled' ? 'high' : 'medium',
    subject: { webhookId: id },
    message:
      status === 'disabled'
        ? `The webhook to ${hostOf(url)} was disabled, because its deliveries failed.`
        : `Deliveries to the webhook at ${hostOf(url)} fail.`,
    since: failingSince,
    path: `/v1/webhooks/${id}`,
  }));
}

/** Reports names that choose no requester. */
export async function sharedNames(names: KnownNames): Promise<Item[]> {
  const shared = (await names.read()).shared().slice(0, ITEMS_MAX + 1);
  return shared.map(({ name, requesterIds: [requesterId = '', ...others] }) => ({
    kind: 'shared_name',
    severity: 'high',
    subject: { requesterId },
    message: (first) =>
      `\`${name}\` names ${first} and ${others.length === 1 ? 'another partner' : `${others.length} other partners`}: ` +
      'visitors with it are refused. Give it to one of them.',
    since: null,
    path: `/v1/requesters/${encodeURIComponent(requesterId)}`,
  }));
}

/** Uses the last comparison of each site. */
export async function driftedSites(db: Db): Promise<Item[]> {
  const sites = await findDrifted(db, ITEMS_MAX + 1);
  return sites.map(({ host, since }) => ({
    kind: 'drift',
    severity: 'medium',
    subject: { host },
    message: `The live files of ${host} differ from its signals.`,
    since,
    path: `/v1/sites/${encodeURIComponent(host)}/signals/drift`,
  }));
}

/** The rest of the URL may be a secret. */
const hostOf = (url: string): string => new URL(url).host;

export async function troubledLists(db: Db, now: number): Promise<Item[]> {
  const lists = await findLists(db);
  const overdue = lists.flatMap((list): Overdue[] => {
    const since = list.fetchedAt ?? list.failingSince;
    // A node of the previous version does not count since when the first fetch fails.
    const age = since === null ? FRESH_MS : now - since;
    const isOverdue = list.failures > 0 && !isFresh(list.fetchedAt, now) && age >= UNFETCHED_MS;
    return isOverdue ? [{ url: list.url, since, severity: age >= FRESH_MS ? 'high' : 'medium' }] : [];
  });
  const held = lists.flatMap(({ url, heldSince }): Item[] => {
    if (heldSince === null || overdue.some((one) => one.url === url)) return [];
    const message = `The list ${url} shrank by more than half: the new one waits until you accept it.`;
    return [{ ...LISTS, severity: 'medium', subject: { url }, message, since: heldSince }];
  });
  return [...listItems(overdue, 'high'), ...listItems(overdue, 'medium'), ...held];
}

const LISTS = { kind: 'identity_list', path: '/v1/identity-lists' } as const;

interface Overdue {
  url: string;
  since: number | null;
  severity: 'high' | 'medium';
}

function listItems(overdue: readonly Overdue[], severity: Overdue['severity']): Item[] {
  const lists = overdue.filter((one) => one.severity === severity);
  return fold(
    lists.map(({ url, since }) => {
      const message = `The list ${url} could not be fetched for too long: it verifies no visitor.`;
      return { ...LISTS, severity, subject: { url }, message, since };
    }),
    (count) => `${count} published lists could not be fetched for too long: they verify no visitors.`,
  );
}

export function staleDirectory({ date, failures, failingSince }: CrawlerDirectoryState): Item[] {
  if (failures === 0) return [];
  const message = `The crawler directory cannot be renewed: the one of ${date} stays in force.`;
  const path = '/v1/crawlers';
  return [{ kind: 'crawler_directory', severity: 'medium', subject: {}, message, since: failingSince, path }];
}

/** The keys as this node has them; its metrics say more. */
export function failingAgents(directories: readonly DirectoryState[], now: number): Item[] {
  const failing = directories.filter(
    ({ state, failures, failingMs }) =>
      failures > 0 && state !== 'fresh' && (failingMs === null || failingMs >= UNFETCHED_KEYS_MS),
  );
  return fold(
    failing.map(({ agent, ageMs }) => ({
      kind: 'agent_keys',
      severity: 'medium',
      subject: { agent },
      message: `The keys of ${agent} cannot be fetched: its signatures prove nothing.`,
      since: ageMs === null ? null : Math.round(now - ageMs),
      path: '/metrics',
    })),
    (count) => `The keys of ${count} agents cannot be fetched: their signatures prove nothing.`,
  );
}

/** Reports what this node has seen; of an address only its form. */
export function unreadableAddresses({ series }: UnreadableFigures): Item[] {
  if (series === null) return [];
  const { count, since, form } = series;
  const times = count === 1 ? 'an address' : `${count.toLocaleString('en')} addresses`;
  const sent = `Your proxy sent ${times} that cannot be read, such as ${JSON.stringify(form)}`;
  return [
    {
      kind: 'unreadable_address',
      severity: 'high',
      subject: {},
      message: `${sent}: every deny rule that names an address holds then, and no allow rule that does.`,
      since,
      path: '/metrics',
    },
  ];
}

/** Where the network itself fails, everything does: more than a few items become one, since the first of them. */
function fold(items: readonly Item[], toMessage: (count: string) => string): Item[] {
  const [first] = items;
  if (first === undefined || items.length <= APART_MAX) return [...items];
  const times = items.flatMap(({ since }) => since ?? []);
  const message = toMessage(items.length.toLocaleString('en'));
  return [{ ...first, subject: {}, message, since: times.length === 0 ? null : Math.min(...times) }];
}
