/** Compares the live files of a site with those that Postern renders. */
import { hash } from 'node:crypto';
import { SIGNAL_KINDS, SIGNALS, type Signal, type SignalKind } from '../formats/kinds.ts';
import { TDM_POLICIES } from '../formats/tdmrep.ts';
import type { Published, Signals } from '../signals.ts';
import { CRAWLERS_SHOWN, type Difference } from './difference.ts';
import { compareHeaders } from './headers.ts';
import { type Line, toLines } from './lines.ts';
import { type LiveFile, type LookDeps, look } from './look.ts';
import { StepBudget } from './meaning.ts';
import { compareRobots } from './robots.ts';
import { compareRsl } from './rsl.ts';
import { compareTdmPolicy, compareTdmrep } from './tdm.ts';

export const CHECKED_KINDS = SIGNAL_KINDS;
export const FILE_STATES = ['same', 'drifted', 'unreachable', 'off'] as const;
export const STATES = ['same', 'drifted', 'unreachable'] as const;
export type State = (typeof STATES)[number];

export interface CheckedFile {
  kind: (typeof CHECKED_KINDS)[number];
  /** The path on the site. */
  path: string;
  state: (typeof FILE_STATES)[number];
  /** Why it could not be looked at, or is off. */
  message: string | null;
  differences: Difference[];
  differenceCount: number;
  lines: Line[];
}

export interface DriftOutcome {
  state: State;
  files: CheckedFile[];
  /** A hash of the differences; null: there are none. */
  digest: string | null;
}

export interface DriftDeps extends LookDeps {
  signals: Pick<Signals, 'read' | 'notice' | 'headersOf'>;
}

const STEPS_MAX = 20_000_000;
const DIFFERENCES_MAX = 100;
/** Policies of collections that are fetched. */
const POLICIES_MAX = 10;
const TEXT_MAX = 500;

/** Throws site_not_found, and Unavailable. */
export async function lookAndCompare(deps: DriftDeps, host: string): Promise<DriftOutcome> {
  const published = await deps.signals.read(host);
  const work: Work = { deps, host, published, budget: new StepBudget(STEPS_MAX) };
  const files = [
    ...(await Promise.all(
      SIGNAL_KINDS.filter((kind) => (SIGNALS[kind] as Signal).path !== null).map((kind) => checkFile(work, kind)),
    )),
    await checkPolicies(work),
    await checkHeaders(work),
  ];
  const drifted = files.filter(({ state }) => state === 'drifted');
  const isUnreachable = files.some(({ state }) => state === 'unreachable');
  return {
    state: drifted.length > 0 ? 'drifted' : isUnreachable ? 'unreachable' : 'same',
    files,
    digest: drifted.length === 0 ? null : digestFiles(drifted),
  };
}

interface Work {
  deps: DriftDeps;
  host: string;
  published: Published;
  budget: StepBudget;
}

async function checkFile({ deps, host, published, budget }: Work, kind: SignalKind): Promise<CheckedFile> {
  const path = (SIGNALS[kind] as Signal).path as string;
  const intended = published.files[kind];
  if (typeof intended === 'string') return toFile(kind, path, { off: intended });
  const looked = await look(deps, { host, path });
  if (looked.kind !== 'found') return toFile(kind, path, fromFailure(looked, path));
  const { body } = looked;
  const lines = toLines(intended.body, body);
  try {
    const differences = await compareKind({ kind, host, intended: intended.body, live: body }, budget);
    return toFile(kind, path, { differences, lines });
  } catch {
    return toFile(kind, path, { differences: [unreadable(path)], lines });
  }
}

const fromFailure = (looked: Exclude<LiveFile, { kind: 'found' }>, path: string): Found =>
  looked.kind === 'missing' ? { differences: [missing(path, looked.status)] } : { unreachable: looked.why };

async function compareKind(
  { kind, host, intended, live }: { kind: SignalKind; host: string; intended: string; live: string },
  budget: StepBudget,
): Promise<Difference[]> {
  if (intended === live) return [];
  if (kind === 'robots.txt') return (await compareRobots(intended, live, budget)).differences;
  if (kind === 'license.xml') return compareRsl({ host, intended, live }, budget);
  return compareTdmrep(intended, live, budget);
}

/** The policies of collections, each at its own path. */
async function checkPolicies({ deps, host, published }: Work): Promise<CheckedFile> {
  const kind = 'tdm-policy';
  const path = TDM_POLICIES;
  const intended = published.files[kind];
  if (typeof intended === 'string') return toFile(kind, path, { off: intended });
  const policies = (JSON.parse(intended.body) as { uid: string }[]).slice(0, POLICIES_MAX);
  const found = await Promise.all(
    policies.map(async (policy): Promise<Found> => {
      const own = new URL(policy.uid).pathname;
      const looked = await look(deps, { host, path: own });
      if (looked.kind === 'missing') return { differences: [whole('other', `There is no policy at ${own}.`)] };
      if (looked.kind === 'unreachable') return { unreachable: looked.why };
      const lines = toLines(`${JSON.stringify(policy, null, 1)}\n`, looked.body);
      try {
        return { differences: compareTdmPolicy(policy, looked.body), lines };
      } catch {
        return { differences: [unreadable(own)], lines };
      }
    }),
  );
  const differences = found.flatMap((one) => one.differences ?? []);
  const unreachable = found.find((one) => one.unreachable !== undefined)?.unreachable;
  const lines = found.find((one) => (one.differences ?? []).length > 0 && one.lines !== undefined)?.lines ?? [];
  return toFile(
    kind,
    path,
    differences.length > 0 || unreachable === undefined ? { differences, lines } : { unreachable },
  );
}

async function checkHeaders({ deps, host }: Work): Promise<CheckedFile> {
  const path = '/';
  const { link } = await deps.signals.notice(host);
  const intended = {
    ...(link === null ? {} : { link }),
    ...deps.signals.headersOf({ host, path, query: '' }),
  };
  if (Object.keys(intended).length === 0) return toFile('headers', path, { off: 'The site has no headers.' });
  const looked = await look(deps, { host, path, isPage: true });
  // The first page may well be closed to Postern.
  if (looked.kind !== 'found') {
    const why = looked.kind === 'missing' ? `It answered with HTTP ${looked.status}.` : looked.why;
    return toFile('headers', path, { off: `The first page could not be read: ${why}` });
  }
  return toFile('headers', path, { differences: compareHeaders(intended, looked.headers) });
}

const whole = (effect: Difference['effect'], message: string): Difference => ({
  about: null,
  crawlers: [],
  crawlerCount: 0,
  intended: null,
  live: null,
  effect,
  message,
});

const missing = (path: string, status: number): Difference =>
  whole('opens', `There is no ${path} on the site (HTTP ${status}), so its readers find no restriction there.`);

const unreadable = (path: string): Difference =>
  whole('opens', `What the site serves as ${path} cannot be read as this format, so it says nothing.`);

interface Found {
  differences?: readonly Difference[];
  lines?: Line[];
  unreachable?: string;
  off?: string;
}

function toFile(
  kind: CheckedFile['kind'],
  path: string,
  { differences = [], lines = [], unreachable, off }: Found,
): CheckedFile {
  const state = off !== undefined ? 'off' : unreachable !== undefined ? 'unreachable' : undefined;
  return {
    kind,
    path,
    state: state ?? (differences.length === 0 ? 'same' : 'drifted'),
    message: off ?? unreachable ?? null,
    differences: differences.slice(0, DIFFERENCES_MAX).map(bounded),
    differenceCount: differences.length,
    lines,
  };
}

const bounded = (one: Difference): Difference => ({
  ...one,
  crawlers: one.crawlers.slice(0, CRAWLERS_SHOWN).map((name) => name.slice(0, TEXT_MAX)),
  about: one.about?.slice(0, TEXT_MAX) ?? null,
  intended: one.intended?.slice(0, TEXT_MAX) ?? null,
  live: one.live?.slice(0, TEXT_MAX) ?? null,
  message: one.message.slice(0, 3 * TEXT_MAX),
});

const digestFiles = (files: readonly CheckedFile[]): string =>
  hash(
    'sha256',
    JSON.stringify(files.map(({ kind, differenceCount, differences }) => [kind, differenceCount, differences])),
    'base64url',
  ).slice(0, 22);
