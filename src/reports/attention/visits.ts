/** New crawlers, false names, and visitors that are denied far more often than before. */
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { CountedWho } from '../../decisions/history/columns/who.ts';
import { findFirstSeen } from '../../decisions/visitors/sighting-store.ts';
import { toIso } from '../../lib/clock.ts';
import { OTHER_PROGRAMS } from '../../rules/crawlers/program.ts';
import { type AttentionSubject, ITEMS_MAX, type Item } from './item.ts';

const DAY_MS = 86_400_000;
const NEW_MS = 7 * DAY_MS;

const CRAWLERS_MAX = 10_000;

/** A crawler that asked for nothing but what is deleted since is not among them. */
export async function newCrawlers(db: Db, columns: Columns, now: number): Promise<Item[]> {
  const from = now - NEW_MS;
  const seen = await findFirstSeen(db, from, ITEMS_MAX + 1);
  if (seen.length === 0) return [];
  const span = { from, to: now + 1, starts: [from], limit: 1, enforced: true };
  const query = { ...span, groupBy: 'crawler', groupsOfBoth: true, groupsMax: CRAWLERS_MAX } as const;
  const { groups = [] } = await columns.report(query);
  const left = new Set(groups.map(({ id }) => id));
  const shown = seen.filter(({ name }) => left.has(name));
  return shown.map(({ name, at }) => ({
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
      ({ visitor, denied, usual }): Item => ({
        kind: 'denials',
        severity: 'medium',
        subject: toSubject(visitor),
        message: (name) =>
          `${visitor.kind === 'requester' ? name : deniedName(visitor)}: denied ${times(denied)} within a day, before that ${times(usual)} a day.`,
        since: now - DAY_MS,
        path: `/v1/access/decisions?allowed=false${toFilter(visitor)}`,
      }),
    ),
  ];
}

function toSubject({ kind, id }: CountedWho): AttentionSubject {
  if (kind === 'requester') return { requesterId: id };
  if (kind === 'crawler') return { crawler: id };
  return kind === 'program' ? { program: id } : {};
}

function toFilter({ kind, id }: CountedWho): string {
  if (kind === 'requester') return `&requesterId=${encodeURIComponent(id)}`;
  return kind === 'crawler' ? `&crawler=${encodeURIComponent(id)}` : '';
}

const PROVEN = { none: '', verified: ' (verified)', spoofed: ' (forged)' } as const;

/** Returns the subject of a sentence about visitors without a requester. */
function deniedName(visitor: CountedWho): string {
  if (visitor.kind === 'crawler') return `The crawler ${visitor.id}${PROVEN[visitor.proof]}`;
  if (visitor.kind === 'program') return visitor.id === OTHER_PROGRAMS ? 'Other programs' : `The program ${visitor.id}`;
  if (visitor.kind === 'browsers') return 'Browsers';
  return visitor.kind === 'no_user_agent' ? 'Visitors without a user agent' : 'Anonymous requesters';
}
