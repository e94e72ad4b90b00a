/** The proofs of visitors, for people: published lists, keys of agents; and the names that were falsely claimed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import { monotonicMs, toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import type { Identities } from '../../requesters/identities/identities.ts';
import { isFresh, type ListState } from '../../requesters/identities/list.ts';
import { ListAnswer, listAnswer } from '../../requesters/identities/schema.ts';
import type { DirectoryState } from '../../requesters/signatures/directories.ts';
import type { Signatures } from '../../requesters/signatures/signatures.ts';

const SHOWN_MAX = 100;
const SPOOFED_MAX = 20;
/** The counts are read at most this often: each console that shows the status asks every few seconds. */
const SPOOFED_EVERY_MS = 2_000;
/** While the columns are counted again, the status does not wait for them. */
const WAIT_MS = 1_000;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const VisitorStatus = Type.Object(
  {
    lists: Type.Object({
      count: count('Published lists of addresses that are named'),
      data: Type.Array(ListAnswer, {
        maxItems: SHOWN_MAX,
        description: `Their states, those in trouble first; at most ${SHOWN_MAX}`,
      }),
    }),
    directories: Type.Object({
      count: count('Agents whose keys this node has or fetches'),
      data: Type.Array(
        Type.Object({
          agent: Type.String({ description: 'The URL of the agent' }),
          state: Type.Enum(['fetching', 'fresh', 'stale', 'failing'], {
            description: '`fresh`: its keys verify. `failing`: there are none, because no fetch succeeded',
          }),
          keys: count('Keys that it publishes'),
          fetched: textOrNull('When they were last fetched'),
          failures: count('Failed fetches since the last that succeeded'),
          failingSince: textOrNull('When the first of these was'),
          error: textOrNull('Why the last fetch failed'),
        }),
        { maxItems: SHOWN_MAX, description: `Their states, those in trouble first; at most ${SHOWN_MAX}` },
      ),
    }),
    names: Type.Object(
      {
        resolved: count('Host names of addresses that were looked up'),
        failed: count('Look-ups that failed'),
        dropped: count('Look-ups that were put off, because too many waited'),
      },
      { description: 'Since the start of this node' },
    ),
    spoofed: orNull(
      Type.Array(
        Type.Object({
          claimed: Type.String({ description: 'The requester or the crawler' }),
          checks: count('Checks of visitors that falsely claimed this name'),
          since: Type.String({ description: 'The first of these' }),
        }),
        { maxItems: SPOOFED_MAX },
      ),
      `Names that were falsely claimed within 24 hours, at most ${SPOOFED_MAX}; null: still being counted`,
    ),
  },
  { description: 'What verifies visitors' },
);
type VisitorStatus = Static<typeof VisitorStatus>;

export interface VisitorStatusDeps {
  identities: Pick<Identities, 'lists' | 'figures'>;
  signatures: Pick<Signatures, 'directories'>;
  columns: Pick<Columns, 'alarms'>;
  /** Epoch ms. */
  now(): number;
}

/** Returns what reads the status of the visitors. */
export function openVisitorStatus(deps: VisitorStatusDeps): () => Promise<VisitorStatus> {
  const readSpoofed = openSpoofed(deps);
  return async () => {
    const now = deps.now();
    const lists = deps.identities.lists();
    const directories = deps.signatures.directories();
    const { resolved, failed, dropped } = deps.identities.figures().dns;
    return {
      lists: {
        count: lists.length,
        data: shown(lists, (list) => isTroubled(list, now)).map((list) => listAnswer(list, now)),
      },
      directories: {
        count: directories.length,
        data: shown(directories, ({ failures }) => failures > 0).map((one) => toDirectory(one, now)),
      },
      names: { resolved, failed, dropped },
      spoofed: await readSpoofed(now),
    };
  };
}

const isTroubled = ({ failures, heldAt, fetchedAt }: ListState, now: number): boolean =>
  failures > 0 || heldAt !== null || !isFresh(fetchedAt, now);

const shown = <T>(all: readonly T[], isTroubledOne: (one: T) => boolean): T[] =>
  [...all.filter(isTroubledOne), ...all.filter((one) => !isTroubledOne(one))].slice(0, SHOWN_MAX);

const toDirectory = ({ agent, state, keys, ageMs, failures, failingMs, error }: DirectoryState, now: number) => ({
  agent,
  state,
  keys,
  fetched: ageMs === null ? null : toIso(now - ageMs),
  failures,
  failingSince: failingMs === null ? null : toIso(now - failingMs),
  error,
});

/** Returns null while the counts cannot be read; older ones might name a requester that was erased since. */
function openSpoofed({ columns }: VisitorStatusDeps): (now: number) => Promise<VisitorStatus['spoofed']> {
  let reading: Promise<VisitorStatus['spoofed']> = Promise.resolve(null);
  let begunAt = Number.NEGATIVE_INFINITY;

  async function read(now: number): Promise<VisitorStatus['spoofed']> {
    const { spoofed } = await columns.alarms({ now, limit: SPOOFED_MAX });
    return spoofed.map(({ claimed, checks, first }) => ({ claimed, checks, since: toIso(first) }));
  }
  return (now) => {
    if (monotonicMs() - begunAt >= SPOOFED_EVERY_MS) {
      begunAt = monotonicMs();
      reading = read(now).catch(() => null);
    }
    return Promise.race([reading, sleep(WAIT_MS, null, { ref: false })]);
  };
}
