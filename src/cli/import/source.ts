/** Where an import reads from: a file, standard input (`-`) or an http(s) address; gzip is opened on the way. */
import { createReadStream, type Stats, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { failed, misused } from '../outcome.ts';

export interface Source {
  name: string;
  /** Bytes, where it is known before. */
  size: number | undefined;
  /** Which content it is: of a file size and time; undefined when it cannot be told. */
  mark: string | undefined;
  open(signal: AbortSignal): Promise<Opened>;
}

export interface Opened {
  /** The first bytes, at most one chunk, to tell the format by. */
  head: Uint8Array;
  /** All of it, the head included. */
  bytes: AsyncIterable<Uint8Array>;
  /** How many of `size` have been read. */
  read(): number;
}

export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

export function sourceOf(name: string): Source {
  if (isAddress(name)) return { name, size: undefined, mark: undefined, open: (signal) => openUrl(name, signal) };
  if (name === '-') return { name, size: undefined, mark: undefined, open: () => opened(process.stdin) };
  let stat: Stats;
  try {
    stat = statSync(name);
  } catch (error) {
    throw misused(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (stat.isDirectory()) throw misused(`${name} is a folder; name a file.`);
  const { size, mtimeMs } = stat;
  return {
    name,
    size,
    mark: `${size} bytes of ${new Date(mtimeMs).toISOString()}`,
    open: () => opened(createReadStream(name, { highWaterMark: 256 << 10 })),
  };
}

async function openUrl(url: string, signal: AbortSignal): Promise<Opened> {
  let response: Response;
  try {
    response = await fetch(url, { signal, headers: { 'user-agent': 'postern-import' } });
  } catch (error) {
    if (signal.aborted) throw error;
    const { cause, message } = error as Error & { cause?: Error };
    throw failed(`${url} cannot be fetched: ${cause?.message ?? message}`, error);
  }
  if (!response.ok || response.body === null) throw failed(`${url} answered with HTTP ${response.status}.`);
  return opened(Readable.fromWeb(response.body as never));
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

async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Pick<Opened, 'head' | 'bytes'>> {
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
