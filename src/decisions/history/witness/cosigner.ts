/**
 * Cosigns the checkpoints of logs of others (C2SP tlog-witness). Promise: of each log, it cosigns only checkpoints that
 * continue the last one that it cosigned, on any number of nodes. What it cosigned is on disk before it answers.
 */
import { unavailable } from '../../../api/errors.ts';
import { Conflict, type Db } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import type { Clock } from '../../../lib/clock.ts';
import { HASH_BYTES, isConsistent, sha256 } from '../../../lib/merkle.ts';
import {
  COSIGNATURE,
  type Cosigner,
  cosign,
  fromBase64,
  isBy,
  isSigned,
  readHead,
  readNote,
  toKeyId,
} from '../../../lib/notes.ts';
import { keyed } from '../../../lib/queue.ts';
import { type LogKey, makeKey, readSetting, setOnce, swapSetting, toVerifier, typedKey } from '../sealed/keys.ts';
import type { FollowedLogs } from './settings.ts';

const KEY = 'witness_key';
/** And the name of a log: its newest checkpoint that was cosigned. */
const LOG = 'witness_log ';
const HASHES_MAX = 63;
/** Other nodes may cosign at the same time. */
const TRIES = 3;

/**
 * Makes a backup another witness: it does not know what was cosigned since, so it has no key that others rely on. On
 * SQLite.
 */
export const END_WITNESS = `delete from settings where name = '${KEY}' or name like 'witness\\_log %' escape '\\'`;

/** The answer of the protocol. `body` is a sentence for people, except in a 200, and in a 409. */
interface Outcome {
  status: 200 | 400 | 403 | 404 | 409 | 422;
  body: string;
}

interface FollowedLog {
  origin: string;
  /** null: nothing of it was cosigned yet. */
  size: number | null;
  at: number | null;
}

export interface Witness {
  /** The verifier key of the witness. */
  vkey: string;
  /** Takes the body of a request. */
  add(body: string): Promise<Outcome>;
  logs(): Promise<FollowedLog[]>;
}

interface Newest {
  size: number;
  /** Base64. */
  root: string;
  at: number;
}

interface Deps {
  db: Db;
  clock: Pick<Clock, 'now'>;
  logs: FollowedLogs;
}

/** `name`: of the witness and of its key. The first use makes the key. */
export async function openWitness({ db, clock, logs }: Deps, name: string): Promise<Witness> {
  const key = await readKey(db, clock.now());
  const typed = typedKey(COSIGNATURE, key);
  const inTurn = keyed();
  const cosigner: Cosigner = { name, privateKey: key.privateKey as string, id: toKeyId(name, typed) };
  return {
    vkey: toVerifier(name, key, COSIGNATURE),
    async add(body) {
      const asked = judge(body, logs);
      if ('status' in asked) return asked;
      return inTurn(asked.origin, () => cosignNext({ db, now: () => clock.now(), cosigner }, asked));
    },
    async logs() {
      const rows = await db.read<{ name: string; value: string }>(
        `select name, value from settings where ${inList(db.engine, 'name', 'text')}`,
        [toList([...logs.keys()].map((origin) => LOG + origin))],
      );
      const newest = new Map(rows.map(({ name: of, value }) => [of, JSON.parse(value) as Newest]));
      return [...logs.keys()].map((origin) => {
        const { size = null, at = null } = newest.get(LOG + origin) ?? {};
        return { origin, size, at };
      });
    },
  };
}

async function readKey(db: Db, now: number): Promise<LogKey> {
  const key = await readSetting<LogKey>(db, KEY);
  if (key !== undefined) return key;
  await db.atomic([setOnce(KEY, JSON.stringify(makeKey(now)))]);
  return readKey(db, now);
}

/** A checkpoint that a followed log signed. */
interface Asked {
  old: number;
  proof: Buffer[];
  origin: string;
  size: number;
  root: Buffer;
  text: string;
}

const FORM = /^old (0|[1-9]\d{0,15})\n((?:[^\n]+\n)*)\n([^]*)$/;
const EMPTY = sha256(Buffer.of());
const refuse = (status: Outcome['status'], sentence: string): Outcome => ({ status, body: `${sentence}\n` });

/** Reads the body of a request, of which nothing is verified yet; undefined for other text. */
function readBody(body: string) {
  const [, old = '', lines = '', note = ''] = FORM.exec(body) ?? [];
  const proof = lines.split('\n').slice(0, -1).map(fromBase64);
  const isProof = proof.every((hash) => hash?.length === HASH_BYTES) && proof.length <= HASHES_MAX;
  const signed = readNote(note);
  const head = signed && readHead(signed.text);
  if (!isProof || signed === undefined || head === undefined || !Number.isSafeInteger(Number(old))) return undefined;
  return { ...head, ...signed, old: Number(old), proof: proof as Buffer[] };
}

/** Returns the checkpoint, or the refusal where the state of the log does not matter. */
function judge(body: string, logs: FollowedLogs): Asked | Outcome {
  const asked = readBody(body);
  if (asked === undefined) return refuse(400, 'The body is not one of add-checkpoint.');
  const { origin, size, text, signatures, old } = asked;
  const keys = logs.get(origin);
  if (keys === undefined) return refuse(404, 'This witness does not follow the log.');
  // One signature of each key is verified: there may be many lines.
  const verified = keys.flatMap((key) => {
    const own = signatures.find((one) => isBy(one, key));
    return own === undefined ? [] : [isSigned(text, own, key)];
  });
  if (!verified.includes(true) || verified.includes(false)) {
    return refuse(403, 'None of the keys that this witness knows of the log signed the checkpoint.');
  }
  return old > size ? refuse(400, 'The old size is larger than the checkpoint.') : asked;
}

interface Cosigning {
  db: Db;
  now(): number;
  cosigner: Cosigner;
}

async function cosignNext(cosigning: Cosigning, asked: Asked): Promise<Outcome> {
  for (let left = TRIES; left > 0; left--) {
    try {
      return await cosignOnce(cosigning, asked);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
  throw unavailable('Other nodes of the witness cosign this log right now; retry.');
}

/** Throws Conflict when another node was first. */
async function cosignOnce({ db, now, cosigner }: Cosigning, asked: Asked): Promise<Outcome> {
  const { origin, size, root } = asked;
  const name = LOG + origin;
  const before = await readSetting<Newest>(db, name);
  const newest =
    before === undefined ? { size: 0, root: EMPTY } : { ...before, root: Buffer.from(before.root, 'base64') };
  const conflict: Outcome = { status: 409, body: `${newest.size}\n` };
  if (asked.old !== newest.size) return conflict;
  if (size === newest.size && !root.equals(newest.root)) return conflict;
  if (!isConsistent(newest, asked, asked.proof)) {
    return refuse(422, 'The proof does not say that the log continues the last checkpoint that this witness cosigned.');
  }
  const after: Newest = { size, root: root.toString('base64'), at: now() };
  await db.atomic([swapSetting(name, before, after)]);
  return { status: 200, body: cosign(asked.text, Math.floor(after.at / 1000), cosigner) };
}
