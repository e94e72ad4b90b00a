/** Opens the input of an import: a file, standard input (`-`) or an http(s) address. Gzip is unpacked. */
import { createReadStream, type Stats, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { misused } from '../outcome.ts';
import { cannotRead } from '../read-file.ts';
import { openWeb } from './web.ts';

export interface Source {
  name: string;
  /** Bytes; undefined when unknown. */
  size: number | undefined;
  /** Changes when the content does: size and time of a file. Undefined for other inputs. */
  version: string | undefined;
  open(signal: AbortSignal): Promise<Opened>;
  /** Opens an address that the input names. */
  follow(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface Opened {
  /** The first bytes, at most one chunk, for detecting the format. */
  head: Uint8Array;
  /** The whole input, including the head. */
  bytes: AsyncIterable<Uint8Array>;
  /** Returns how many of `size` bytes have been read. */
  read(): number;
}

export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

export function openSource(name: string): Source {
  const web = openWeb(isAddress(name) ? name : undefined);
  const openUrl = async (url: string, signal: AbortSignal): Promise<Opened> => opened(await web(url, signal));
  const follow = async (url: string, signal: AbortSignal) => (await openUrl(url, signal)).bytes;
  const stream = { name, size: undefined, version: undefined, follow };
  if (isAddress(name)) return { ...stream, open: (signal) => openUrl(name, signal) };
  if (name === '-') return { ...stream, open: () => opened(process.stdin) };
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
    open: () => opened(createReadStream(name, { highWaterMark: 256 << 10 })),
    follow,
  };
}

async function opened(stream: Readable): Promise<Opened> {
  let read = 0;
  const raw = (async function* () {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield chunk;
    }
  })();
  let peeked = await peek(raw);
  if (peeked.head[0] === 0x1f && peeked.head[1] === 0x8b) {
    const gunzip = createGunzip();
    const packed = Readable.from(peeked.bytes);
    packed.on('error', (error) => gunzip.destroy(error));
    peeked = await peek(packed.pipe(gunzip) as AsyncIterable<Uint8Array>);
  }
  return { ...peeked, read: () => read };
}

/** Reads the first chunk ahead. */
export async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Pick<Opened, 'head' | 'bytes'>> {
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
