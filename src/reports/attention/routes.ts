/** Reports what needs attention now. */

import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import type { Keys } from '../../api/keys/authenticate.ts';
import { type Caller, holdsPermission, isPublicKey } from '../../api/permissions.ts';
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { KnownNames } from '../../decisions/visitors/names.ts';
import type { RenewedDirectory } from '../../requesters/crawlers/renewal.ts';
import type { Signatures } from '../../requesters/signatures/signatures.ts';
import { findNames } from '../../requesters/store.ts';
import { type Item, mostUrgent } from './item.ts';
import { endingLicenses, openRequests, usedQuotas } from './licenses.ts';
import { AttentionAnswer, attentionAnswer } from './schema.ts';
import {
  driftedSites,
  failingAgents,
  failingWebhooks,
  sharedNames,
  staleDirectory,
  troubledLists,
  unreadableAddresses,
} from './services.ts';
import { alarms, newCrawlers } from './visits.ts';

export interface AttentionDeps {
  db: Db;
  columns: Columns;
  signatures: Pick<Signatures, 'directories'>;
  names: KnownNames;
  keys: Pick<Keys, 'unreadable'>;
  directory: Pick<RenewedDirectory, 'state'>;
  /** Epoch ms. */
  now(): number;
}

export function attentionRoutes(app: App, deps: AttentionDeps): void {
  const read = {
    permission: 'analytics:read',
    tag: 'Analytics',
    id: 'getAttention',
    is: 'Report what needs attention now',
    answer: AttentionAnswer,
  } as const;
  route(app, 'GET /v1/attention', read, async ({ caller }) => {
    const items = await Promise.all(readers(deps, caller));
    const urgent = mostUrgent(items.flat());
    const ids = urgent.items.flatMap(({ subject: { requesterId } }) => requesterId ?? []);
    return attentionAnswer(urgent, await findNames(deps.db, [...new Set(ids)]));
  });
}

/** A caller receives only what it may also read elsewhere. */
function readers(
  { db, columns, signatures, names, keys, directory, now: clock }: AttentionDeps,
  caller: Caller,
): Promise<Item[]>[] {
  const now = clock();
  const { permissions, readOnly } = caller;
  const readings = [newCrawlers(db, columns, now)];
  // They name partners, and anybody may have a public key.
  if (!isPublicKey(caller)) readings.push(alarms(columns, now));
  if (holdsPermission(permissions, 'requesters:read')) {
    readings.push(endingLicenses(db, now), openRequests(db), troubledLists(db, now), sharedNames(names));
    readings.push(Promise.resolve(failingAgents(signatures.directories(), now)));
    readings.push(Promise.resolve(unreadableAddresses(keys.unreadable.figures())));
    if (!readOnly) readings.push(usedQuotas({ db, columns }, now));
  }
  if (holdsPermission(permissions, 'policies:read')) {
    readings.push(driftedSites(db), Promise.resolve(staleDirectory(directory.state())));
  }
  if (holdsPermission(permissions, 'webhooks:manage')) readings.push(failingWebhooks(db));
  return readings;
}
