/** The witnesses of the log, and the logs that this service cosigns, for people. */
import { type Static, Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import type { Signing } from '../../decisions/history/sealed/keys.ts';
import { reportWitnesses } from '../../decisions/history/sealed/witnesses.ts';
import type { Witness } from '../../decisions/history/witness/cosigner.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';

const SHOWN_MAX = 100;
const count = (description: string) => Type.Integer({ minimum: 0, description });
const sizeOrNull = (description: string) => orNull(count(description));

export const WitnessesStatus = Type.Array(
  Type.Object({
    name: Type.String({ description: 'The name in its cosignatures' }),
    url: Type.String({ description: 'Where checkpoints are sent' }),
    size: sizeOrNull('Entries of the newest checkpoint that it cosigned; null: none'),
    cosigned: textOrNull('When it cosigned that'),
    behind: count('Entries of the newest checkpoint that it did not cosign'),
    forked: Type.Boolean({ description: 'It cosigned entries that this log does not have' }),
    error: textOrNull('Why it did not cosign at the last attempt; null: it did'),
    failingSince: textOrNull('When the first of these failures was'),
  }),
  { description: 'The witnesses of the log of receipts' },
);

export const WitnessStatus = orNull(
  Type.Object({
    key: Type.String({ description: 'The verifier key of the witness (C2SP signed-note)' }),
    logs: Type.Array(
      Type.Object({
        origin: Type.String({ description: 'The name of the log' }),
        size: sizeOrNull('Entries of the newest checkpoint that was cosigned; null: none'),
        cosigned: textOrNull('When that was'),
      }),
      { maxItems: SHOWN_MAX, description: `The logs whose checkpoints it cosigns, at most ${SHOWN_MAX}` },
    ),
  }),
  'This service as a witness of logs of others; null: it is none',
);

export interface WitnessStatusDeps {
  db: Db;
  /** null: this node keeps no log. */
  signing: Signing | null;
  /** null: it cosigns no log. */
  witness: Witness | null;
}

interface Read {
  witnesses: Static<typeof WitnessesStatus>;
  witness: Static<typeof WitnessStatus>;
}

const timeOrNull = (at: number | null | undefined): string | null => (at == null ? null : toIso(at));

export async function readWitnessStatus({ db, signing, witness }: WitnessStatusDeps): Promise<Read> {
  const reports = signing === null ? [] : await reportWitnesses(db, signing.origin, signing.witnesses);
  const logs = (await witness?.logs()) ?? [];
  return {
    witnesses: reports.map(({ name, url, cosigned, behind, problem }) => ({
      name,
      url,
      size: cosigned?.size ?? null,
      cosigned: timeOrNull(cosigned?.at),
      behind,
      forked: problem?.isFork === true,
      error: problem?.error ?? null,
      failingSince: timeOrNull(problem?.since),
    })),
    witness:
      witness === null
        ? null
        : {
            key: witness.vkey,
            logs: logs.slice(0, SHOWN_MAX).map(({ origin, size, at }) => ({ origin, size, cosigned: timeOrNull(at) })),
          },
  };
}
