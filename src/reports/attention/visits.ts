/** New crawlers, false names, and requesters that are denied far more often than before. */
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import { findFirstSeen } from '../../decisions/visitors/sighting-store.ts';
import { toIso } from '../../lib/clock.ts';
import { ITEMS_MAX, type Item } from './item.ts';

const DAY_MS = 86_400_000;
const NEW_MS = 7 * DAY_MS;

export async function newCrawlers(db: Db, now: number): Promise<Item[]> {
  const seen = await findFirstSeen(db, now - NEW_MS, ITEMS_MAX + 1);
  return seen.map(({ name, at }) => ({
    kind: 'crawler',
    severity: 'low',
    subject: { crawler: name },
    message: `The crawler ${name} came for the first time.`,
    since: at,
    path: `/v1/access/decisions?crawler=${encodeURIComponent(name)}`,
  }));
}

const times = (count: number): string => (count === 1 ? 'once' : `${count.toLocaleString('en')} times`);

export async function alarms(columns: Columns, now: number): Promise<Item[]> {
  const { spoofed, denials } = await columns.alarms({ now, limit: ITEMS_MAX + 1 });
  return [
    ...spoofed.map(
      ({ claimed, checks, first }): Item => ({
        kind: 'spoofing',
        severity: 'medium',
        subject: { claimed },
        message: `The name ${claimed} was falsely claimed ${times(checks)} within a day.`,
        since: first,
        path: `/v1/access/decisions?spoofed=true&from=${toIso(now - DAY_MS)}`,
      }),
    ),
    ...denials.map(
      ({ requesterId, denied, usual }): Item => ({
        kind: 'denials',
        severity: 'medium',
        subject: requesterId === null ? {} : { requesterId },
        message: (name) =>
          `${requesterId === null ? 'Anonymous requesters' : name}: denied ${times(denied)} within a day, before that ${times(usual)} a day.`,
        since: now - DAY_MS,
        path: `/v1/access/decisions?allowed=false${requesterId === null ? '' : `&requesterId=${encodeURIComponent(requesterId)}`}`,
      }),
    ),
  ];
}
