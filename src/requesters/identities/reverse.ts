/**
 * Host names of addresses, confirmed forward: the name of the address must end in a suffix, on a label boundary, and
 * lead back to the address. Promise: no look-up delays a request. A name that is not known, or no longer, is resolved
 * in the background and counts from then on; a failure is no answer about the visitor.
 */
import { Resolver } from 'node:dns/promises';
import { Lru } from '../../lib/cache/lru.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatAddress, parseAddress } from '../../lib/ip-range.ts';
import { isPublicAddress } from '../../lib/outgoing/address.ts';
import { atMost } from '../../lib/queue.ts';

const KNOWN_MAX = 50_000;
const AT_ONCE = 16;
/** Further addresses are resolved at a later request of theirs. */
const WAITING_MAX = 1_000;
const NAMES_MAX = 10;
const TTL_MIN_MS = 60_000;
const TTL_MAX_MS = 86_400_000;
/** For answers that carry no TTL: there is no name, or none that counts. */
const NONE_MS = 3_600_000;
/** An answer in use is resolved again before it expires, in this last share of its time. */
const AHEAD = 0.2;
const TIMEOUT_MS = 2_000;

export interface Reverse {
  /** Returns whether the address has a host name with one of the suffixes; null: not known, or not to be found out. */
  isConfirmed(address: string, suffixes: readonly string[]): boolean | null;
  figures(): { resolved: number; failed: number; dropped: number; waiting: number };
  close(): void;
}

export interface ReverseOptions {
  clock: Clock;
  /** Servers to ask; those of the operating system by default. */
  dnsServers?: readonly string[] | undefined;
}

interface Known {
  /** null after a failure. */
  confirmed: boolean | null;
  until: number;
  /** From then on it is resolved again. */
  dueAt: number;
}

export function openReverse({ clock, dnsServers }: ReverseOptions): Reverse {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  const known = new Lru<string, Known>(KNOWN_MAX);
  const waiting = new Set<string>();
  const queue = atMost(AT_ONCE);
  const figures = { resolved: 0, failed: 0, dropped: 0 };
  let closed = false;

  const keep = (key: string, confirmed: boolean | null, ms: number): void => {
    const now = clock.now();
    known.set(key, { confirmed, until: now + ms, dueAt: now + ms * (1 - AHEAD) });
  };

  async function resolve(key: string, address: string, suffixes: readonly string[]): Promise<void> {
    if (closed) return;
    try {
      const { confirmed, ttlMs } = await confirm(resolver, address, suffixes);
      keep(key, confirmed, Math.min(TTL_MAX_MS, Math.max(TTL_MIN_MS, ttlMs)));
      figures.resolved++;
    } catch {
      const before = known.get(key);
      const now = clock.now();
      // An answer that has not expired yet stays one.
      if (before !== undefined && now < before.until) before.dueAt = now + TTL_MIN_MS;
      else keep(key, null, TTL_MIN_MS);
      figures.failed++;
    } finally {
      waiting.delete(key);
    }
  }

  function start(key: string, address: string, suffixes: readonly string[]): void {
    if (waiting.has(key) || closed || !isPublicAddress(address)) return;
    if (waiting.size >= WAITING_MAX) {
      figures.dropped++;
      return;
    }
    waiting.add(key);
    void queue.run(() => resolve(key, address, suffixes));
  }

  return {
    isConfirmed(address, suffixes) {
      const key = `${address} ${suffixes.join(' ')}`;
      const found = known.get(key);
      const now = clock.now();
      if (found === undefined || now >= found.dueAt) start(key, address, suffixes);
      return found !== undefined && now < found.until ? found.confirmed : null;
    },
    figures: () => ({ ...figures, waiting: waiting.size }),
    close() {
      closed = true;
      resolver.cancel();
    },
  };
}

/** Throws when the servers fail to answer. */
async function confirm(
  resolver: Resolver,
  address: string,
  suffixes: readonly string[],
): Promise<{ confirmed: boolean; ttlMs: number }> {
  // `reverse` would also read the hosts file, and take a server's failure for an answer.
  const names = (await orNone(resolver.resolvePtr(toPointerName(address))))
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => suffixes.some((suffix) => endsIn(name, suffix)));
  const isSix = address.includes(':');
  for (const name of names.slice(0, NAMES_MAX)) {
    const ttl = { ttl: true } as const;
    const records = await orNone(isSix ? resolver.resolve6(name, ttl) : resolver.resolve4(name, ttl));
    const own = records.find((record) => isSame(record.address, address));
    if (own !== undefined) return { confirmed: true, ttlMs: own.ttl * 1000 };
  }
  return { confirmed: false, ttlMs: NONE_MS };
}

/** The name of an address in the reverse zones (RFC 1035, RFC 3596). */
function toPointerName(text: string): string {
  const address = parseAddress(text);
  if (address?.family !== 6) return `${text.split('.').toReversed().join('.')}.in-addr.arpa`;
  const digits = address.value.toString(16).padStart(32, '0');
  return `${[...digits].toReversed().join('.')}.ip6.arpa`;
}

/** On a label boundary: `evilgooglebot.com` does not end in `googlebot.com`. */
const endsIn = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`);

/** An answer without a record is an answer. */
async function orNone<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw error;
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [parseAddress(formatAddress(one)), parseAddress(other)];
  return a !== undefined && a.family === b?.family && a.value === b.value;
}
