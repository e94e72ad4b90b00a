/**
 * Keeps the answers of the witnesses of the log. Promise: a cosignature that is kept was verified, with its
 * time; the newest checkpoint is shown with those that arrived, and waits for none.
 */
import { Conflict, type Db } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import type { KnownWitness } from '../witness/settings.ts';
import { swapSetting } from './keys.ts';
import { readCheckpoint, type SignedCheckpoint } from './publish.ts';

/** And the verifier key of the witness. */
const WITNESS = 'log_witness ';

/** The newest checkpoint that a witness cosigned. */
export interface Cosignature {
  /** The text of the checkpoint: the name of the log, size, root. */
  text: string;
  size: number;
  /** The time that the witness signed, in epoch ms. */
  at: number;
  /** A line of a signed note, without its end. */
  line: string;
}

export interface WitnessProblem {
  error: string;
  /** Epoch ms. */
  since: number;
  /** The witness knows a log by this name and key that this one does not continue. */
  isFork: boolean;
}

export interface WitnessState {
  cosigned?: Cosignature | undefined;
  /** Absent once a checkpoint was cosigned. */
  problem?: WitnessProblem | undefined;
}

/** Returns the states by verifier key; of those of whom nothing was heard there is none. */
export async function readStates(db: Db, witnesses: readonly KnownWitness[]): Promise<Map<string, WitnessState>> {
  if (witnesses.length === 0) return new Map();
  const rows = await db.read<{ name: string; value: string }>(
    `select name, value from settings where ${inList(db.engine, 'name', 'text')}`,
    [toList(witnesses.map(({ vkey }) => WITNESS + vkey))],
  );
  return new Map(rows.map(({ name, value }) => [name.slice(WITNESS.length), JSON.parse(value) as WitnessState]));
}

/** Another node may have kept something else meanwhile; then nothing is kept. */
export async function keepState(db: Db, vkey: string, before: WitnessState | undefined, after: WitnessState) {
  try {
    await db.atomic([swapSetting(WITNESS + vkey, before, after)]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}

/** The text of a checkpoint, without its signatures. */
export const textOf = ({ note }: SignedCheckpoint): string => note.slice(0, note.indexOf('\n\n') + 1);

/** Returns the newest checkpoint with the cosignatures that arrived; undefined before the first one. */
export async function readCosigned(db: Db, witnesses: readonly KnownWitness[]): Promise<SignedCheckpoint | undefined> {
  const checkpoint = await readCheckpoint(db);
  if (checkpoint === undefined || witnesses.length === 0) return checkpoint;
  const states = await readStates(db, witnesses);
  const text = textOf(checkpoint);
  const lines = witnesses.flatMap(({ vkey }) => {
    const cosigned = states.get(vkey)?.cosigned;
    return cosigned?.text === text ? [`${cosigned.line}\n`] : [];
  });
  return { ...checkpoint, note: checkpoint.note + lines.join('') };
}

/** A witness, as people see it. */
export interface WitnessReport {
  name: string;
  url: string;
  /** The newest checkpoint of this log that it cosigned. */
  cosigned: { size: number; at: number } | null;
  /** Entries of the newest checkpoint that it did not cosign yet. */
  behind: number;
  problem: WitnessProblem | null;
}

/** `origin`: the name of the log. */
export async function reportWitnesses(
  db: Db,
  origin: string,
  witnesses: readonly KnownWitness[],
): Promise<WitnessReport[]> {
  if (witnesses.length === 0) return [];
  const [checkpoint, states] = await Promise.all([readCheckpoint(db), readStates(db, witnesses)]);
  return witnesses.map(({ vkey, name, url }) => {
    const { cosigned, problem } = states.get(vkey) ?? {};
    const own = isOf(origin, cosigned) ? cosigned : undefined;
    return {
      name,
      url,
      cosigned: own === undefined ? null : { size: own.size, at: own.at },
      behind: Math.max(0, (checkpoint?.size ?? 0) - (own?.size ?? 0)),
      problem: problem ?? null,
    };
  });
}

/** After a restore, the log has another name, and is another log to its witnesses. */
export const isOf = (origin: string, cosigned: Cosignature | undefined): cosigned is Cosignature =>
  cosigned?.text.startsWith(`${origin}\n`) === true;
