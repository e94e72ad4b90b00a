/**
 * Counts the programs that the crawler directory does not name, in bounded memory: as in the service, a program is what
 * `findProgram` says. Promise: however many names come, one with more than 1/4,000 of their requests is never dropped
 * (Misra and Gries, 1982).
 */
import { toIso } from '../../src/lib/clock.ts';
import { estimate, joinSketches, Sketch, toMark } from '../../src/lib/sketch.ts';
import { findProgram, OTHER_PROGRAMS } from '../../src/rules/crawlers/program.ts';

const PROGRAMS_KEPT = 4_000;
const PROGRAMS_MAX = 1_000;

/** The counts of a program in one thread; another thread can receive them. */
export interface ProgramCounts {
  program: string;
  requests: number;
  /** Requests may have come before it was kept. */
  isAtLeast: boolean;
  robots: number;
  first: number;
  last: number;
  /** Texts of sketches. */
  pages: string;
  addresses: string;
}

interface Kept extends Omit<ProgramCounts, 'pages' | 'addresses'> {
  /** Its requests, less those of the names that it outlasted. */
  weight: number;
  pages: Sketch;
  addresses: Sketch;
}

export interface CountedPrograms {
  programs: ProgramCounts[];
  /** All requests of programs, also of those without a name. */
  requests: number;
  /** Names were dropped. */
  isPart: boolean;
}

export interface ProgramVisit {
  userAgent: string;
  /** Empty: unknown. */
  address: string;
  at: number;
  /** Host and path; null for a request that is no HTTP. */
  page: string | null;
  isRobots: boolean;
}

export class ProgramTally {
  readonly #kept = new Map<string, Kept>();
  readonly #salt: string;
  #requests = 0;
  #isPart = false;

  /** The same seed for all threads of a run. */
  constructor(seed: number) {
    this.#salt = seed.toString(16).padStart(8, '0');
  }

  add({ userAgent, address, at, page, isRobots }: ProgramVisit): void {
    this.#requests++;
    const program = findProgram(userAgent);
    if (program === OTHER_PROGRAMS) return;
    const one = this.#keep(program);
    one.requests++;
    one.weight++;
    if (isRobots) one.robots++;
    if (at < one.first) one.first = at;
    if (at > one.last) one.last = at;
    if (page !== null) one.pages.add(toMark(page, this.#salt));
    if (address !== '') one.addresses.add(toMark(address, this.#salt));
  }

  #keep(program: string): Kept {
    const known = this.#kept.get(program);
    if (known !== undefined) return known;
    if (this.#kept.size >= PROGRAMS_KEPT * 2) this.#drop();
    const one = {
      program,
      requests: 0,
      weight: 0,
      isAtLeast: this.#isPart,
      robots: 0,
      first: Infinity,
      last: -Infinity,
      pages: new Sketch(),
      addresses: new Sketch(),
    };
    this.#kept.set(program, one);
    return one;
  }

  /** Takes the same weight from all names, so that at most half stay. */
  #drop(): void {
    const weights = Array.from(this.#kept.values(), ({ weight }) => weight).toSorted((a, b) => b - a);
    const taken = weights[PROGRAMS_KEPT] as number;
    for (const [program, one] of this.#kept) {
      one.weight -= taken;
      if (one.weight <= 0) this.#kept.delete(program);
    }
    this.#isPart = true;
  }

  counted(): CountedPrograms {
    const programs = Array.from(this.#kept.values(), ({ weight: _, pages, addresses, ...one }) => ({
      ...one,
      pages: pages.toText(),
      addresses: addresses.toText(),
    }));
    return { programs, requests: this.#requests, isPart: this.#isPart };
  }
}

/** A name that a thread has dropped may have had requests there. */
export function mergePrograms(all: readonly CountedPrograms[]): CountedPrograms {
  const programs = new Map<string, ProgramCounts & { threads: number }>();
  for (const one of all.flatMap((counted) => counted.programs)) {
    const before = programs.get(one.program);
    programs.set(
      one.program,
      before === undefined ? { ...one, threads: 1 } : { ...join(before, one), threads: before.threads + 1 },
    );
  }
  const isPart = all.some((one) => one.isPart);
  return {
    programs: Array.from(programs.values(), ({ threads, ...one }) => ({
      ...one,
      isAtLeast: one.isAtLeast || (isPart && threads < all.length),
    })),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    isPart,
  };
}

const join = (one: ProgramCounts, other: ProgramCounts): ProgramCounts => ({
  program: one.program,
  requests: one.requests + other.requests,
  isAtLeast: one.isAtLeast || other.isAtLeast,
  robots: one.robots + other.robots,
  first: Math.min(one.first, other.first),
  last: Math.max(one.last, other.last),
  pages: joinSketches(one.pages, other.pages),
  addresses: joinSketches(one.addresses, other.addresses),
});

/** A program that the crawler directory does not name. */
export interface ProgramTraffic {
  program: string;
  /** At least so many where `requestsAtLeast`. */
  requests: number;
  requestsAtLeast: boolean;
  /** Distinct hosts and paths, approximately. */
  pages: number;
  /** Approximately; null: none could be read. */
  addresses: number | null;
  robotsTxt: number;
  firstSeen: string;
  lastSeen: string;
}

/** Returns those with the most requests. */
export const listPrograms = ({ programs }: CountedPrograms): ProgramTraffic[] =>
  programs
    .toSorted((one, other) => other.requests - one.requests || (one.program < other.program ? -1 : 1))
    .slice(0, PROGRAMS_MAX)
    .map(({ program, requests, isAtLeast, robots, first, last, pages, addresses }) => ({
      program,
      requests,
      requestsAtLeast: isAtLeast,
      pages: Math.min(estimate(pages), requests),
      addresses: Math.min(estimate(addresses), requests) || null,
      robotsTxt: robots,
      firstSeen: toIso(first),
      lastSeen: toIso(last),
    }));
