/** Drift on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { EFFECTS } from './difference.ts';
import { CHECKED_KINDS, FILE_STATES, STATES } from './drift.ts';
import { LINE_KINDS } from './lines.ts';
import type { SignalCheck } from './store.ts';

const Difference = Type.Object(
  {
    about: textOrNull('A path pattern, or what a line or header is about; null: the whole file'),
    crawlers: Type.Array(Type.String(), {
      description: 'The first of the crawlers that read it; `*` for everybody else; empty: every reader',
    }),
    crawlerCount: Type.Integer(),
    intended: textOrNull('What the file should say; null: nothing'),
    live: textOrNull('What it says; null: nothing'),
    effect: Type.Enum([...EFFECTS], {
      description: '`opens`: the live file permits more than intended; `closes`: less; `other`: neither can be said',
    }),
    message: Type.String(),
  },
  { title: 'SignalDifference' },
);

const File = Type.Object(
  {
    kind: Type.Enum([...CHECKED_KINDS], { description: 'The signal; `headers`: those of the first page' }),
    path: Type.String({ description: 'Where the site serves it' }),
    state: Type.Enum([...FILE_STATES], { description: '`off`: the site has nothing to compare' }),
    message: textOrNull('Why it could not be compared'),
    differences: Type.Array(Difference, { description: 'At most 100' }),
    differenceCount: Type.Integer(),
    lines: Type.Array(Type.Object({ kind: Type.Enum([...LINE_KINDS]), text: Type.String() }), {
      description: 'The texts beside each other, where they differ; other lines may say the same',
    }),
  },
  { title: 'CheckedSignal' },
);

export const SignalsDrift = Type.Object(
  {
    object: Type.Literal('signals_drift'),
    host: Type.String(),
    state: Type.Enum([...STATES, 'unchecked'], {
      description: '`unreachable`: a file could not be fetched, and no other differs; `unchecked`: not looked at yet',
    }),
    checked: textOrNull('When the site was looked at last'),
    since: textOrNull('Since when it differs in this way'),
    files: Type.Array(File),
  },
  { title: 'SignalsDrift', description: 'The live files of a site, compared with the intended ones by meaning' },
);

export function driftAnswer(host: string, check: SignalCheck | undefined): Static<typeof SignalsDrift> {
  return {
    object: 'signals_drift',
    host,
    state: check?.state ?? 'unchecked',
    checked: check === undefined ? null : toIso(check.checkedAt),
    since: check?.since == null ? null : toIso(check.since),
    files: check?.files ?? [],
  };
}
