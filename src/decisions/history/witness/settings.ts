/** Reads from the settings which witnesses cosign the log, and which logs of others this service cosigns. */
import { COSIGNATURE, readVerifier, SIGNATURE, type Verifier } from '../../../lib/notes.ts';
import { findUrlFault } from '../../../lib/outgoing/address.ts';

const WITNESSES_MAX = 16;
const LOGS_MAX = 1000;

/** A witness of the log. */
export interface KnownWitness extends Verifier {
  /** Takes checkpoints at `/add-checkpoint` below it; without a slash at the end. */
  url: string;
}

/** The keys of logs of others, by the name of the log. */
export type FollowedLogs = ReadonlyMap<string, readonly Verifier[]>;

export const WITNESS_SETTINGS = {
  POSTERN_LOG_WITNESSES: {
    doc: 'Witnesses that cosign the log, one a line or separated by commas: verifier key, space, URL below which it takes checkpoints; needs POSTERN_RECEIPTS',
    default: '',
    read: readWitnesses,
  },
  POSTERN_WITNESS_LOGS: {
    doc: 'Verifier keys of logs of others, one a line or separated by commas, whose checkpoints this service cosigns; needs POSTERN_PUBLIC_URL',
    default: '',
    read: readLogs,
  },
} as const;

/** Comments are left out, so that a file may be what a log publishes as its keys. */
const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');

function readWitnesses(text: string): KnownWitness[] {
  const witnesses = splitLines(text).map((line): KnownWitness => {
    const [vkey = '', url = '', ...more] = line.split(/\s+/);
    if (!/^https?:\/\//.test(url) || !URL.canParse(url) || more.length > 0) {
      throw new Error(`"${line}" is not a verifier key, a space, and a URL such as https://partner.example/witness`);
    }
    // Where it leads is checked at each request.
    const fault = findUrlFault(url, true);
    if (fault !== undefined) throw new Error(`the URL of "${vkey}" ${fault}`);
    return { ...readVerifier(vkey, COSIGNATURE), url: url.replace(/\/+$/, '') };
  });
  // A cosignature does not say its name: one key under two names would count twice.
  const keys = new Set(witnesses.map(({ key }) => key.export({ format: 'jwk' }).x));
  if (keys.size < witnesses.length) throw new Error('names one key twice');
  if (witnesses.length > WITNESSES_MAX) throw new Error(`names more than ${WITNESSES_MAX} witnesses`);
  return witnesses;
}

function readLogs(text: string): FollowedLogs {
  const keys = splitLines(text).map((line) => readVerifier(line, SIGNATURE));
  if (keys.length > LOGS_MAX) throw new Error(`names more than ${LOGS_MAX} keys`);
  return Map.groupBy(keys, ({ name }) => name);
}

export interface WitnessConfig {
  /** The witnesses that cosign the log of this installation. */
  logWitnesses: readonly KnownWitness[];
  /** The logs that this installation cosigns. */
  witnessLogs: FollowedLogs;
}

/** Adds what the other settings lack to the faults. */
export function toWitnessConfig(values: ReadonlyMap<string, unknown>, faults: string[]): WitnessConfig {
  const logWitnesses = (values.get('POSTERN_LOG_WITNESSES') as KnownWitness[] | undefined) ?? [];
  const witnessLogs = (values.get('POSTERN_WITNESS_LOGS') as FollowedLogs | undefined) ?? new Map();
  if (logWitnesses.length > 0 && values.get('POSTERN_RECEIPTS') === 'off') {
    faults.push('POSTERN_LOG_WITNESSES: there is no log that they could cosign; set POSTERN_RECEIPTS too');
  }
  if (witnessLogs.size > 0 && values.get('POSTERN_PUBLIC_URL') === null) {
    faults.push('POSTERN_WITNESS_LOGS: the witness is named after POSTERN_PUBLIC_URL; set that too');
  }
  return { logWitnesses, witnessLogs };
}
