/**
 * The disk operations and answers of a process, in order, from a log of strace. They yield the possible contents of the
 * disk at any power failure: writes before the last completed fsync of a file are there; each part of later writes may
 * be there or not, even half of it.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Random } from '../../kit/random.ts';

const TRACED = 'pwrite64,write,writev,ftruncate,fsync,fdatasync,openat,unlink,rename';

export const traceDisk = (log: string): string[] =>
  'strace -D -f -qq -y -xx -s 4000000 --seccomp-bpf'.split(' ').concat('-e', `trace=${TRACED}`, '-o', log);

export type DiskEvent =
  | { kind: 'create' | 'unlink'; file: string }
  | { kind: 'write'; file: string; at: number; data: Buffer }
  | { kind: 'truncate'; file: string; size: number }
  /** `id` of a sync that began, and of the same when it has succeeded. */
  | { kind: 'sync-begin' | 'sync-end'; file: string; id: number }
  /** A folder's entries are on the disk. */
  | { kind: 'folder-sync' }
  /** Bytes that went to a client. */
  | { kind: 'answer'; text: string };

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/s;

const unescaped = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
const strings = (text: string): Buffer[] =>
  [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => unescaped(match[1] ?? ''));
const pathOf = (text: string): string => unescaped(/^[\w-]*<((?:\\x[0-9a-f]{2})+)>/.exec(text)?.[1] ?? '').toString();

/** Only files in `folder` whose names `wanted` accepts. */
export async function readDiskLog(
  log: string,
  folder: string,
  wanted: (name: string) => boolean,
): Promise<DiskEvent[]> {
  const events: DiskEvent[] = [];
  const syncs = new Map<string, number>();
  let syncId = 0;
  const nameOf = (path: string): string | undefined =>
    path.startsWith(`${folder}/`) && wanted(basename(path)) ? basename(path) : undefined;

  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const [, thread = '', resumed, called, rest = ''] = match;
    const call = resumed ?? called ?? '';
    if (resumed !== undefined) {
      if (!call.includes('sync')) continue;
      const id = syncs.get(thread);
      const begun = id === undefined ? undefined : events.findLast((one) => one.kind === 'sync-begin' && one.id === id);
      syncs.delete(thread);
      if (begun !== undefined && 'file' in begun && rest.endsWith(' = 0')) {
        events.push({ kind: 'sync-end', file: begun.file, id: id as number });
      }
      continue;
    }
    const path = pathOf(rest);
    if (call === 'openat') {
      const [name = Buffer.alloc(0)] = strings(rest);
      const file = nameOf(name.toString());
      if (file !== undefined && rest.includes('O_CREAT')) events.push({ kind: 'create', file });
    } else if (call === 'unlink') {
      const file = nameOf(strings(rest)[0]?.toString() ?? '');
      if (file !== undefined) events.push({ kind: 'unlink', file });
    } else if (call === 'fsync' || call === 'fdatasync') {
      if (path === folder) events.push({ kind: 'folder-sync' });
      const file = nameOf(path);
      if (file === undefined) continue;
      const id = ++syncId;
      events.push({ kind: 'sync-begin', file, id });
      if (rest.includes('<unfinished')) syncs.set(thread, id);
      else if (rest.endsWith(' = 0')) events.push({ kind: 'sync-end', file, id });
    } else if (call === 'ftruncate') {
      const file = nameOf(path);
      if (file !== undefined) events.push({ kind: 'truncate', file, size: Number(/, (\d+)/.exec(rest)?.[1]) });
    } else if (call === 'pwrite64') {
      const file = nameOf(path);
      if (file === undefined) continue;
      const [data = Buffer.alloc(0)] = strings(rest);
      const at = Number(/", \d+, (\d+)/.exec(rest)?.[1]);
      events.push({ kind: 'write', file, at, data });
    } else if (path.startsWith('socket:')) {
      const text = Buffer.concat(strings(rest)).toString();
      if (text.startsWith('HTTP/1.1 ')) events.push({ kind: 'answer', text });
    } else if (nameOf(path) !== undefined) throw new Error(`a ${call} to ${path}, which this log cannot place`);
  }
  return events;
}

interface DiskFile {
  /** The contents that survive a power cut. */
  durable: Buffer;
  /** Its entry in the folder is on the disk. */
  listed: boolean;
  exists: boolean;
  /** Since the last completed sync, in order. */
  pending: DiskEvent[];
}

/** The fate of unsynced writes in a power cut: none, all, any subset, or any sectors of any subset. */
export const FATES = ['nothing', 'everything', 'some', 'torn'] as const;
export type Fate = (typeof FATES)[number];

const SECTOR = 512;

/** The disk, fed with events; `cut` says what might be found after a power cut now. */
export class Disk {
  readonly #files = new Map<string, DiskFile>();
  /** The writes that a running sync will make durable. */
  readonly #syncing = new Map<number, { file: DiskFile; count: number }>();

  take(event: DiskEvent): void {
    if (event.kind === 'answer') return;
    if (event.kind === 'folder-sync') {
      for (const file of this.#files.values()) file.listed = file.exists;
      return;
    }
    let file = this.#files.get(event.file);
    if (file === undefined) {
      file = { durable: Buffer.alloc(0), listed: false, exists: true, pending: [] };
      this.#files.set(event.file, file);
    }
    if (event.kind === 'create') {
      // Another file under the name of one that was removed.
      if (!file.exists) Object.assign(file, { durable: Buffer.alloc(0), exists: true, pending: [] });
    } else if (event.kind === 'unlink') {
      // That it is gone may reach the disk at any time from now on; `listed` keeps that it may still be there.
      file.exists = false;
    } else if (event.kind === 'sync-begin') this.#syncing.set(event.id, { file, count: file.pending.length });
    else if (event.kind === 'sync-end') {
      const sync = this.#syncing.get(event.id);
      if (sync === undefined) return;
      this.#syncing.delete(event.id);
      for (const one of sync.file.pending.splice(0, sync.count)) sync.file.durable = applied(sync.file.durable, one);
      for (const other of this.#syncing.values()) {
        if (other.file === sync.file) other.count = Math.max(0, other.count - sync.count);
      }
    } else file.pending.push(event);
  }

  cut(fate: Fate, random: Random): Map<string, Buffer> {
    const image = new Map<string, Buffer>();
    for (const [name, file] of this.#files) {
      const kept = file.exists
        ? file.listed || fate === 'everything' || random.chance(0.5)
        : file.listed && random.chance(0.5);
      if (!kept) continue;
      let bytes: Buffer = Buffer.alloc(file.durable.length);
      file.durable.copy(bytes);
      for (const event of file.pending) {
        if (fate === 'everything' || (fate !== 'nothing' && random.chance(0.5))) {
          bytes = applied(bytes, event, fate === 'torn' ? random : undefined);
        }
      }
      image.set(name, bytes);
    }
    return image;
  }
}

function applied(bytes: Buffer, event: DiskEvent, torn?: Random): Buffer {
  if (event.kind === 'truncate') return resized(bytes, event.size);
  if (event.kind !== 'write') return bytes;
  const { at, data } = event;
  const target = bytes.length < at + data.length ? resized(bytes, at + data.length) : bytes;
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + SECTOR - ((at + from) % SECTOR));
    if (torn === undefined || torn.chance(0.5)) data.copy(target, at + from, from, to);
    from = to;
  }
  return target;
}

/** Grows by half as much again at once, so that a file written in pages is not copied for each. */
function resized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes.subarray(0, size);
  const spare = bytes.buffer.byteLength - bytes.byteOffset;
  if (size <= spare) {
    const longer = Buffer.from(bytes.buffer, bytes.byteOffset, size);
    longer.fill(0, bytes.length);
    return longer;
  }
  const roomy = Buffer.alloc(Math.ceil(size * 1.5));
  bytes.copy(roomy);
  return roomy.subarray(0, size);
}
