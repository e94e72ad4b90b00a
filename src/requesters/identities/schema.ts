/** Published lists on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { isFresh, type ListState } from './list.ts';

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const ListAnswer = Type.Object(
  {
    id: Type.String({ description: 'Its URL' }),
    object: Type.Literal('identity_list'),
    url: Type.String(),
    ranges: Type.Integer({ description: 'Number of ranges in force' }),
    fresh: Type.Boolean({ description: 'Whether it verifies visitors: it was found published within seven days' }),
    fetched: textOrNull('When the ranges in force were last found published'),
    attempted: textOrNull('When it was last asked for'),
    failures: Type.Integer({ description: 'Failed fetches since the last that succeeded' }),
    failingSince: textOrNull('When the first of these was; null without one, or if it is not known'),
    error: textOrNull('Why the last fetch failed'),
    held: orNull(
      Type.Object({ ranges: Type.Integer(), since: Type.String() }),
      'Ranges that are held back, because the list shrank by more than half',
    ),
  },
  { title: 'IdentityList', description: 'A published list of addresses that verify a name' },
);
export const ListPage = listSchema(ListAnswer);

export const AcceptList = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The list whose held back ranges count from now on',
    }),
  },
  { additionalProperties: false, title: 'AcceptIdentityList' },
);
export type AcceptList = Static<typeof AcceptList>;

export const listAnswer = (list: ListState, now: number) => ({
  id: list.url,
  object: 'identity_list' as const,
  url: list.url,
  ranges: list.ranges,
  fresh: isFresh(list.fetchedAt, now),
  fetched: isoOrNull(list.fetchedAt),
  attempted: isoOrNull(list.attemptedAt),
  failures: list.failures,
  failingSince: isoOrNull(list.failingSince),
  error: list.error,
  held: list.heldSince === null ? null : { ranges: list.heldRanges ?? 0, since: toIso(list.heldSince) },
});
