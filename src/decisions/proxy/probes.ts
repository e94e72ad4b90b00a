/**
 * Recognizes the requests of probes by a mark in their URL or in Signature-Agent, and keeps what arrived. Promise: such
 * a request is always denied and never a decision; nothing is kept of requests without a valid mark, and those cost
 * bounded work.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Origin } from '../../lib/forwarded.ts';
import { newId } from '../../lib/id.ts';
import { toProbeAnswer } from './answer.ts';
import type { Arrival } from './probe-schema.ts';
import { findProbes, type Probe, putArrival } from './probe-store.ts';
import type { Decide } from './question.ts';
import { type Forwarded, readMethod, readNamedUrl, readSentUrl, readTarget } from './target.ts';

const LIFETIME_MS = 60_000;
/** Visitors can send any mark: probes are read at most this often. */
const READ_EVERY_MS = 250;
const TEXT_MAX = 1_000;

const MARK = 'postern-probe=';
const MARKED = /[?&]postern-probe=([0-9a-f]{32})(?=[&"]|$)/;

export const newProbe = (now: number): Probe => ({
  id: newId('prb_', now),
  mark: MARK + randomBytes(16).toString('hex'),
  createdAt: now,
  expiresAt: now + LIFETIME_MS,
  arrived: null,
});

interface Probes {
  /** Keeps a request that has the mark of a live probe in one of its texts, and says so. Throws Unavailable. */
  take(texts: readonly (string | undefined)[], read: () => Arrival): false | Promise<boolean>;
}

function openProbes(db: Db, clock: Clock): Probes {
  let live: readonly Probe[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  async function find(mark: string): Promise<Probe | undefined> {
    const known = (): Probe | undefined => live.find((one) => one.mark === mark && one.expiresAt > clock.now());
    if (known() === undefined && performance.now() - readAt >= READ_EVERY_MS) {
      readAt = performance.now();
      live = await findProbes(db, clock.now());
    }
    return known();
  }

  async function keep(mark: string, read: () => Arrival): Promise<boolean> {
    const probe = await find(MARK + mark);
    if (probe === undefined) return false;
    const sent = read();
    const arrival = { ...sent, url: sent.url && withoutMark(sent.url, probe.mark) };
    const short = Object.entries(arrival).map(([name, text]) => [name, text === null ? null : text.slice(0, TEXT_MAX)]);
    await db.atomic([putArrival(probe.id, Object.fromEntries(short) as Arrival)]);
    return true;
  }

  return {
    take(texts, read) {
      const marked = texts.find((text) => text?.includes(MARK));
      const mark = marked === undefined ? undefined : MARKED.exec(marked)?.[1];
      return mark === undefined ? false : keep(mark, read);
    },
  };
}

const withoutMark = (url: string, mark: string): string =>
  url.replace(`&${mark}`, '').replace(`?${mark}&`, '?').replace(`?${mark}`, '');

interface ProbedDeps {
  db: Db;
  clock: Clock;
  /** Returns the address for which the proxy forwards. */
  visitor(request: FastifyRequest): Origin;
}

/** Answers the requests of probes, and leaves all others to `decide`. */
export function exceptProbes({ db, clock, visitor }: ProbedDeps, decide: Decide): Decide {
  const probes = openProbes(db, clock);
  return (question) => {
    const { request, suffix, options } = question;
    const forwarded = { headers: request.headers, suffix, origin: options.origin };
    // A cache in front knows pages by their URL: there the mark is in a header.
    const marks = [readNamedUrl(forwarded), String(request.headers['signature-agent'] ?? '')];
    const taken = probes.take(marks, () => readArrival(request, forwarded, visitor(request)));
    return taken === false ? decide(question) : taken.then((is) => (is ? toProbeAnswer(options) : decide(question)));
  };
}

/** Only for the request of a probe. */
function readArrival({ headers, method }: FastifyRequest, forwarded: Forwarded, origin: Origin): Arrival {
  const text = (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  const target = readTarget(forwarded);
  return {
    method: readMethod(forwarded, method) ?? null,
    url: typeof target === 'string' ? null : readSentUrl(forwarded, target),
    address: origin === undefined ? null : 'address' in origin ? origin.address : origin.unreadable,
    signature: text('signature'),
    signatureInput: text('signature-input'),
    signatureAgent: text('signature-agent'),
    userAgent: text('user-agent'),
    authorization: text('authorization'),
  };
}
