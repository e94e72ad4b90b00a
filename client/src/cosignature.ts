/** Cosignatures of witnesses under a checkpoint (C2SP tlog-cosignature, Ed25519). */
import { fromBase64, joined, ReceiptError, refuse, sha256, toHex, utf8 } from './checkpoint.ts';

/** A witness that cosigned a checkpoint. */
export interface Cosigned {
  /** The name of the witness. */
  name: string;
  /** When it cosigned, as an ISO 8601 time. */
  time: string;
}

export interface WitnessOptions {
  /** Verifier keys of witnesses, a line each: they must have cosigned the checkpoint. */
  witnesses?: string;
  /** The number of them that is enough; all by default. */
  quorum?: number;
}

interface Witness {
  name: string;
  id: string;
  /** The key itself, 32 bytes. */
  key: Uint8Array<ArrayBuffer>;
}

const KEY = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const COSIGNATURE = 4;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = 76;

/** Returns which of the witnesses cosigned a checkpoint. Throws ReceiptError when they are too few. */
export async function verifyCosignatures(note: string, { witnesses, quorum }: WitnessOptions): Promise<Cosigned[]> {
  const keys = await readKeys(witnesses ?? '');
  const least = quorum ?? keys.length;
  if (!Number.isSafeInteger(least) || least < 0 || least > keys.length) {
    refuse(`A quorum of ${least} is not one of ${keys.length} witnesses.`);
  }
  const end = note.indexOf('\n\n');
  const [text, lines] = [
    note.slice(0, end + 1),
    note
      .slice(end + 2)
      .split('\n')
      .slice(0, -1),
  ];
  const cosigned: Cosigned[] = [];
  for (const witness of keys) {
    const found = await findCosignature(text, lines, witness);
    if (found !== undefined) cosigned.push(found);
  }
  if (cosigned.length < least) {
    const missing = keys.map(({ name }) => name).filter((name) => !cosigned.some((one) => one.name === name));
    const message = `${cosigned.length} of the witnesses cosigned the checkpoint, not ${least}: it lacks ${missing.join(', ')}.`;
    throw new ReceiptError(`${message} Get the receipt again in a minute.`);
  }
  return cosigned;
}

async function readKeys(text: string): Promise<Witness[]> {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = new Map<string, Witness>();
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    const [, name = '', id = '', encoded = ''] = KEY.exec(line) ?? refuse('A key of a witness is not in its form.');
    const typed = fromBase64(encoded);
    if (typed.length !== 33 || typed[0] !== COSIGNATURE) refuse(`The key of ${name} is not one that cosigns.`);
    const own = (await sha256(joined(utf8(`${name}\n`), typed))).subarray(0, ID_BYTES);
    if (toHex(own) !== id) refuse(`The key of ${name} does not have its id.`);
    // A cosignature does not say its name: a key under two names counts once.
    keys.set(encoded, { name, id, key: typed.subarray(1) });
  }
  return [...keys.values()];
}

async function findCosignature(text: string, lines: readonly string[], { name, id, key }: Witness) {
  for (const line of lines) {
    const [, signer, encoded = ''] = line.split(' ');
    if (signer !== name) continue;
    const bytes = fromBase64(encoded);
    if (toHex(bytes.subarray(0, ID_BYTES)) !== id) continue;
    if (bytes.length !== COSIGNATURE_BYTES) refuse(`The cosignature of ${name} is not in its form.`);
    const seconds = new DataView(bytes.buffer).getBigUint64(ID_BYTES);
    const verifier = await crypto.subtle
      .importKey('raw', key, 'Ed25519', false, ['verify'])
      .catch(() => refuse('A key of a witness is not in its form.'));
    const message = utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
    const signature = bytes.subarray(ID_BYTES + TIME_BYTES);
    if (!(await crypto.subtle.verify('Ed25519', verifier, signature, message))) {
      refuse(`The cosignature of ${name} is wrong.`);
    }
    const time = new Date(Number(seconds) * 1000);
    return Number.isNaN(time.getTime()) ? refuse(`The time of ${name} is wrong.`) : { name, time: time.toISOString() };
  }
  return undefined;
}
