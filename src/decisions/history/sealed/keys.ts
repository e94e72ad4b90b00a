/**
 * The keys of the log, which sign its checkpoints. They are in the records, so every node signs with the same one, and
 * backups have them. Promise: once a key is replaced, it signs nothing more, and its private part is gone from the
 * records.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Db, Step } from '../../../db/db.ts';
import { toIso } from '../../../lib/clock.ts';
import { SIGNATURE, toKeyId } from '../../../lib/notes.ts';
import type { KnownWitness } from '../witness/settings.ts';

export const KEYS = 'log_keys';

export interface Signing {
  /** The name of the log and of its keys, such as `access.example.com/log`. */
  origin: string;
  /** The names that the log had before backups were restored, the newest first. */
  earlier: readonly string[];
  /** The witnesses that cosign its checkpoints. */
  witnesses: readonly KnownWitness[];
}

export interface LogKey {
  /** Ed25519: 32 bytes, as the others base64. */
  publicKey: string;
  /** PKCS #8; absent once it was replaced. */
  privateKey?: string;
  /** Absent where it is not known. */
  since?: number;
  /** Absent until it is replaced. */
  until?: number;
}

export async function readSetting<T>(db: Db, name: string): Promise<T | undefined> {
  const [row] = await db.read<{ value: string }>('select value from settings where name = $1', [name]);
  return row && (JSON.parse(row.value) as T);
}

/** Returns the keys, in the order in which they signed: the last one signs. The first use makes the first key. */
export async function readKeys(db: Db, now?: number): Promise<LogKey[]> {
  const keys = await readSetting<LogKey[]>(db, KEYS);
  if (keys !== undefined) return keys;
  await db.atomic([setOnce(KEYS, JSON.stringify([makeKey(now)]))]);
  return readKeys(db);
}

/** Leaves a setting that is there as it is. */
export const setOnce = (name: string, value: string): Step => ({
  sql: 'insert into settings (name, value) values ($1, $2) on conflict (name) do nothing',
  params: [name, value],
});

/** Replaces a setting by another one. A Conflict unless it is as it was read; undefined: it was not there. */
export const swapSetting = <T>(name: string, before: T | undefined, after: T): Step =>
  before === undefined
    ? { ...setOnce(name, JSON.stringify(after)), expect: 1 }
    : {
        sql: 'update settings set value = $3 where name = $1 and value = $2',
        params: [name, JSON.stringify(before), JSON.stringify(after)],
        expect: 1,
      };

/** A Conflict when the keys were replaced meanwhile. */
export const keepKeys = (before: readonly LogKey[], after = before): Step => swapSetting(KEYS, before, after);

export function makeKey(since?: number): LogKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    ...(since === undefined ? {} : { since }),
  };
}

const KEY_BYTES = 32;

/** The type of a key and the key, as key ids and verifier keys have them. */
export const typedKey = (type: number, { publicKey }: LogKey): Buffer =>
  Buffer.concat([Buffer.of(type), Buffer.from(publicKey, 'base64')]);

/** Returns a signed note (C2SP signed-note), signed by the newest key. The first line of the text is its name. */
export function signNote(text: string, keys: readonly LogKey[]): string {
  const key = keys.at(-1) as LogKey;
  const name = text.slice(0, text.indexOf('\n'));
  const signer = createPrivateKey({
    key: Buffer.from(key.privateKey as string, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  const signature = Buffer.concat([toKeyId(name, typedKey(SIGNATURE, key)), sign(null, Buffer.from(text), signer)]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/** Returns a verifier key (C2SP signed-note). `type`: of its signatures. */
export function toVerifier(name: string, key: LogKey, type: number = SIGNATURE): string {
  const typed = typedKey(type, key);
  return `${name}+${toKeyId(name, typed).toString('hex')}+${typed.toString('base64')}`;
}

/**
 * Returns the keys, the newest first: a verifier key a line. Those that were replaced are comments, so that they verify
 * nothing new; `client/src/receipt.ts` takes them for checkpoints that were kept.
 */
export function writeKeys(keys: readonly LogKey[], { origin, earlier }: Signing): string {
  const names = [origin, ...earlier];
  return keys
    .toReversed()
    .flatMap((key) => [
      ...(keys.length === 1 ? [] : [`# ${toTimes(key)}`]),
      ...names.map((name) => `${key.until === undefined ? '' : REPLACED}${toVerifier(name, key)}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

const REPLACED = '# replaced ';

const toTimes = ({ since, until }: LogKey): string =>
  [
    since === undefined ? 'from the beginning' : `from ${toIso(since)}`,
    until === undefined ? 'on' : `until ${toIso(until)}: for checkpoints that you kept from then`,
  ].join(' ');
