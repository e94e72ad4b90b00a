/**
 * Sends each checkpoint to the witnesses of the log (C2SP tlog-witness), from the node that publishes. Nothing waits
 * for a witness, and none for another. A witness that fails is asked again, later each time.
 */
import type { Sender, SendOutcome } from '../../../api/webhooks/send.ts';
import type { Db } from '../../../db/db.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import { every } from '../../../lib/every.ts';
import { proveConsistency } from '../../../lib/merkle.ts';
import { cosignedAt, isBy, readSignatures } from '../../../lib/notes.ts';
import type { KnownWitness } from '../witness/settings.ts';
import type { Signing } from './keys.ts';
import { readCheckpoint, type SignedCheckpoint } from './publish.ts';
import { openTiles, PUBLIC_TREE } from './tiles.ts';
import {
  type Cosignature,
  isOf,
  keepState,
  readStates,
  reportWitnesses,
  textOf,
  type WitnessProblem,
  type WitnessReport,
  type WitnessState,
} from './witnesses.ts';

const LOOK_EVERY_MS = 1_000;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 10 * 60_000;
/** Requests for one checkpoint: the witness may say which size it knows. */
const ASKS = 4;
const SKEW_MS_MAX = 5 * 60_000;

export interface SubmittingDeps {
  db: Db;
  now(): number;
  signing: Signing;
  witnesses: readonly KnownWitness[];
  sender: Sender;
  userAgent: string;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  onProblem(error: unknown): void;
  onFork(report: { witness: string; error: string }): void;
}

export interface Submitting {
  /** The witnesses as this node last saw them. */
  reports(): readonly WitnessReport[];
  close(): Promise<void>;
}

export function startSubmitting(deps: SubmittingDeps): Submitting {
  const { db, signing, witnesses, sender, isOurs, onProblem } = deps;
  const closed = new AbortController();
  const inFlight = new Map<string, Promise<void>>();
  const waits = openWaits();
  let reports: readonly WitnessReport[] = [];
  const work = async (): Promise<void> => {
    reports = await reportWitnesses(db, signing.origin, witnesses);
    const checkpoint = isOurs() ? await readCheckpoint(db) : undefined;
    if (checkpoint?.note.startsWith(`${signing.origin}\n`) !== true) return;
    const states = await readStates(db, witnesses);
    for (const witness of witnesses) {
      const state = states.get(witness.vkey);
      if (inFlight.has(witness.vkey) || !waits.isDue(witness.vkey) || isDone(state, checkpoint)) continue;
      const asked = submit(deps, { witness, state, checkpoint, aborted: closed.signal })
        .then((isCosigned) => waits.note(witness.vkey, isCosigned))
        .catch(onProblem)
        .finally(() => inFlight.delete(witness.vkey));
      inFlight.set(witness.vkey, asked);
    }
  };
  const stop = every(LOOK_EVERY_MS, work, onProblem);
  return {
    reports: () => reports,
    async close() {
      closed.abort();
      await stop();
      await Promise.all(inFlight.values());
      await sender.close();
    },
  };
}

const isDone = (state: WitnessState | undefined, checkpoint: SignedCheckpoint): boolean =>
  state?.problem === undefined && state?.cosigned?.text === textOf(checkpoint);

/** When a witness is asked again. */
function openWaits() {
  const waits = new Map<string, { failures: number; until: number }>();
  return {
    isDue: (vkey: string): boolean => monotonicMs() >= (waits.get(vkey)?.until ?? 0),
    note(vkey: string, isCosigned: boolean): void {
      const failures = isCosigned ? 0 : (waits.get(vkey)?.failures ?? 0) + 1;
      const wait = Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** failures) * (0.75 + Math.random() / 2);
      waits.set(vkey, { failures, until: failures === 0 ? 0 : monotonicMs() + wait });
    },
  };
}

interface Submission {
  witness: KnownWitness;
  state: WitnessState | undefined;
  checkpoint: SignedCheckpoint;
  aborted: AbortSignal;
}

/** Returns whether the witness cosigned the checkpoint. */
async function submit(deps: SubmittingDeps, submission: Submission): Promise<boolean> {
  const { db, now, onFork } = deps;
  const { witness, state, aborted } = submission;
  const outcome = await ask(deps, submission);
  if (aborted.aborted) return false;
  if (!('error' in outcome)) {
    await keepState(db, witness.vkey, state, { cosigned: outcome });
    return true;
  }
  const before = state?.problem;
  const isKnown = before !== undefined && before.error === outcome.error && before.isFork === outcome.isFork;
  if (isKnown) return false;
  if (outcome.isFork) onFork({ witness: witness.name, error: outcome.error });
  const problem: WitnessProblem = { ...outcome, since: before?.isFork === outcome.isFork ? before.since : now() };
  await keepState(db, witness.vkey, state, { cosigned: state?.cosigned, problem });
  return false;
}

type Refused = Pick<WitnessProblem, 'error' | 'isFork'>;
const fault = (error: string): Refused => ({ error, isFork: false });
const fork = (error: string): Refused => ({ error, isFork: true });

/** Asks until the witness cosigns or refuses: it may say from which size it needs the proof. */
async function ask(deps: SubmittingDeps, { witness, state, checkpoint: first, aborted }: Submission) {
  const { db, now, signing, sender, userAgent } = deps;
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': userAgent };
  let checkpoint = first;
  let old = sizeKnown(signing.origin, state);
  for (let left = ASKS; left > 0; left--) {
    // Another node may publish by now.
    if (old > checkpoint.size) checkpoint = (await readCheckpoint(db)) ?? checkpoint;
    const { size } = checkpoint;
    if (old > size) return fork(toShrunk(old, size));
    const body = await toRequest(db, old, checkpoint);
    const answer = await sender.post(`${witness.url}/add-checkpoint`, headers, body, aborted);
    if (answer.statusCode === 200) {
      return readCosignature(answer.responseBody ?? '', { witness, checkpoint, now: now() });
    }
    const known = toKnown(answer);
    if (known === old && size === old) return fork(toOther(size));
    if (known === undefined || known === old) return toRefused(answer, old);
    old = known;
  }
  return fault('The witness says each time that it knows another size of the log.');
}

/** The size that the witness cosigned last. */
const sizeKnown = (origin: string, state: WitnessState | undefined): number =>
  isOf(origin, state?.cosigned) ? state.cosigned.size : 0;

/** Returns the size of the log that a witness knows; undefined where it does not say one. */
const toKnown = ({ statusCode, responseBody }: SendOutcome): number | undefined =>
  statusCode === 409 && /^(0|[1-9]\d{0,14})\n?$/.test(responseBody ?? '') ? Number(responseBody) : undefined;

const toShrunk = (known: number, size: number): string =>
  `The witness cosigned ${known} entries of this log, which has ${size}: it was put back, or there is another one by its name and key.`;
const toOther = (size: number): string =>
  `The witness cosigned other entries of this log of ${size}: there are two by its name and key.`;

function toRefused({ statusCode, error, responseBody }: SendOutcome, old: number): Refused {
  if (statusCode === 422) {
    return fork(
      `The log does not continue the ${old} entries that the witness cosigned: there are two by its name and key.`,
    );
  }
  if (statusCode === 404)
    return fault('The witness does not follow this log: its operator has to add the key of the log.');
  if (statusCode === 403)
    return fault('The witness knows another key of this log: its operator has to add the new one.');
  if (statusCode === null) return fault(error ?? 'The witness does not answer.');
  return fault(`The witness answers with HTTP ${statusCode}: ${JSON.stringify((responseBody ?? '').slice(0, 200))}.`);
}

/** The body of add-checkpoint. */
async function toRequest(db: Db, old: number, { size, note }: SignedCheckpoint): Promise<string> {
  const proof = old === 0 || old === size ? [] : await proveConsistency(openTiles(db, PUBLIC_TREE), old, size);
  return [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
}

interface Expected {
  witness: KnownWitness;
  checkpoint: SignedCheckpoint;
  now: number;
}

/** Finds the cosignature of the witness among others. */
function readCosignature(answer: string, { witness, checkpoint, now }: Expected): Cosignature | Refused {
  const text = textOf(checkpoint);
  const own = readSignatures(answer)?.find((one) => isBy(one, witness));
  if (own === undefined) return fault('The answer has no cosignature by the key of the witness.');
  const seconds = cosignedAt(text, own, witness);
  if (seconds === undefined) return fault('The cosignature of the witness does not verify.');
  const at = seconds * 1000;
  if (Math.abs(at - now) > SKEW_MS_MAX) {
    return fault(`The cosignature is of ${new Date(at).toISOString()}: a clock is wrong.`);
  }
  return { text, size: checkpoint.size, at, line: own.line };
}
