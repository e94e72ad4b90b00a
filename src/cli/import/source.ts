/** Opens the input of an import: a file, standard input (`-`) or an http(s) address. Gzip is unpacked. */
import { createReadStream, type Stats, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError, failed, misused } from '../outcome.ts';
import { cannotRead } from '../read-file.ts';
import { openWeb } from './web.ts';

export interface ImportSource {
  name: string;
  /** Bytes; undefined when unknown. */
  size: number | undefined;
  /** Changes when the content does: size and time of a file. Undefined for other inputs. */
  version: string | undefined;
  open(signal: AbortSignal): Promise<OpenedSource>;
  /** Opens an address that the input names. */
  follow(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface OpenedSource {
  /** The first bytes, at most one chunk, for detecting the format. */
  head: Uint8Array;
  /** The whole input, including the head. */
  bytes: AsyncIterable<Uint8Array>;
  /** Returns how many of `size` bytes have been read. */
  read(): number;
}

export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

export function openSource(name: string): ImportSource {
  const web = openWeb(isAddress(name) ? name : undefined);
  const openUrl = async (url: string, signal: AbortSignal): Promise<OpenedSource> =>
    opened(await web(url, signal), url);
  const follow = async (url: string, signal: AbortSignal) => (await openUrl(url, signal)).bytes;
  const stream = { name, size: undefined, version: undefined, follow };
  if (isAddress(name)) return { ...stream, open: (signal) => openUrl(name, signal) };
  if (name === '-') return { ...stream, open: () => opened(process.stdin, 'Standard input') };
  let stat: Stats;
  try {
    stat = statSync(name);
  } catch (error) {
    throw cannotRead(name, error);
  }
  if (stat.isDirectory()) throw misused(`${name} is a folder; name a file.`);
  const { size, mtimeMs } = stat;
  return {
    name,
    size,
    version: `${size} bytes of ${new Date(mtimeMs).toISOString()}`,
    open: () => opened(createReadStream(name, { highWaterMark: 256 << 10 }), name),
    follow,
  };
}

/** Errors of the stream become messages that name it. */
async function opened(stream: Readable, name: string): Promise<OpenedSource> {
  let read = 0;
  const raw = (async function* () {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        read += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw cutShort(error, name);
    }
  })();
  let peeked = await peek(raw);
  if (peeked.head[0] === 0x1f && peeked.head[1] === 0x8b) peeked = await peek(unpacked(peeked.bytes, name));
  return { ...peeked, read: () => read };
}

function cutShort(error: unknown, name: string): unknown {
  const { name: kind, code, message, cause } = error as NodeJS.ErrnoException & { cause?: Error };
  if (error instanceof CommandError || kind === 'AbortError') return error;
  if (code === 'EISDIR' || code === 'EACCES') return cannotRead(name, error);
  return failed(`${name} could not be read to its end (${cause?.message ?? message}).`, error);
}

async function* unpacked(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const from = Readable.from(packed);
  from.on('error', (error) => gunzip.destroy(error));
  let some = false;
  try {
    for await (const chunk of from.pipe(gunzip) as AsyncIterable<Uint8Array>) {
      some = true;
      yield chunk;
    }
  } catch (error) {
    throw isZlib(error) ? misused(`${name} is a damaged gzip file: ${damage(error, some)}.`) : error;
  }
}

const isZlib = (error: unknown): error is NodeJS.ErrnoException =>
  String((error as NodeJS.ErrnoException).code).startsWith('Z_');

/** `some`: something was unpacked before. */
function damage({ code, message }: NodeJS.ErrnoException, some: boolean): string {
  if (code === 'Z_BUF_ERROR') return 'its end is missing; copy it again';
  if (message === 'incorrect data check' || message === 'incorrect length check') {
    return 'its content does not match its checksum; copy it again';
  }
  // The first bytes of the file are those of gzip.
  if (message === 'incorrect header check' || (some && /header|method/.test(message))) {
    return 'other bytes follow its end; unpack it and look at the end';
  }
  return `${message}; copy it again`;
}

/** Reads the first chunk ahead. */
export async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Pick<OpenedSource, 'head' | 'bytes'>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done === true ? new Uint8Array() : first.value;
  return {
    head,
    bytes: (async function* () {
      if (first.done === true) return;
      yield head;
      yield* { [Symbol.asyncIterator]: () => iterator };
    })(),
  };
}
