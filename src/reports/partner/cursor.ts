/**
 * Cursors of lists from which items are left out: sealed, because a position may be at an item that its partner may not
 * know of. A cursor is of one partner.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { InvalidCursor } from '../../db/page.ts';

export interface Cursors {
  seal(requesterId: string, position: string): Promise<string>;
  /** Throws InvalidCursor unless the position has the form `form`. */
  open(requesterId: string, cursor: string, form: RegExp): Promise<string>;
}

const NONCE = 12;
const TAG = 16;

export function openCursors(db: Db): Cursors {
  let key: Promise<Buffer> | undefined;

  const readKey = (): Promise<Buffer> => {
    key ??= readSecret(db).then(
      (secret) => createHash('sha256').update(`partner-cursor\0${secret}`).digest(),
      (error: unknown) => {
        key = undefined;
        throw error;
      },
    );
    return key;
  };

  return {
    async seal(requesterId, position) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', await readKey(), nonce).setAAD(Buffer.from(requesterId));
      const text = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    async open(requesterId, cursor, form) {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= NONCE + TAG || bytes.toString('base64url') !== cursor) throw new InvalidCursor();
      const decipher = createDecipheriv('aes-256-gcm', await readKey(), bytes.subarray(0, NONCE));
      decipher.setAAD(Buffer.from(requesterId)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      const position = decrypted(() => decipher.update(bytes.subarray(NONCE + TAG)) + decipher.final('utf8'));
      if (!form.test(position)) throw new InvalidCursor();
      return position;
    },
  };
}

/** Returns the secret of all nodes, created when it is first needed. */
async function readSecret(db: Db): Promise<string> {
  await db.atomic([
    {
      sql: `insert into settings (name, value) values ('cluster_secret', $1) on conflict (name) do nothing`,
      params: [randomBytes(32).toString('base64url')],
    },
  ]);
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'cluster_secret'`);
  return row?.value ?? '';
}

function decrypted(decrypt: () => string): string {
  try {
    return decrypt();
  } catch (error) {
    throw new InvalidCursor(undefined, { cause: error });
  }
}
