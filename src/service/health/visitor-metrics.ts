/**
 * The metrics of how visitors are verified. `/metrics` needs no key, so labels have names of the crawler directory
 * only, never of requesters.
 */

import type { Ledger } from '../../decisions/ledger/ledger.ts';
import type { Identities } from '../../requesters/identities/identities.ts';
import type { Signatures } from '../../requesters/signatures/signatures.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import type { Metric } from './registry.ts';

export interface VisitorParts {
  identities: Identities;
  signatures: Signatures;
  ledger: Pick<Ledger, 'figures'>;
}

export const listVisitorMetrics = ({ identities, signatures, ledger }: VisitorParts): Metric[] => [
  ...listIdentities(identities),
  ...identities.directoryLists().flatMap((url) => listOfDirectory(identities, url)),
  ...listSignatures(signatures),
  ...listSpoofed(ledger),
];

const listIdentities = (identities: Identities): Metric[] => [
  { name: 'postern_identity_lists', help: 'Published lists of addresses', read: () => identities.figures().lists },
  {
    name: 'postern_identity_lists_stale',
    help: 'Published lists that are too old to verify visitors, or were never fetched',
    read: () => identities.figures().stale,
  },
  {
    name: 'postern_identity_lists_held',
    help: 'Published lists that shrank by more than half and wait to be accepted',
    read: () => identities.figures().held,
  },
  {
    name: 'postern_identity_lists_failing',
    help: 'Published lists whose last fetch failed',
    read: () => identities.figures().failing,
  },
  {
    name: 'postern_identity_list_age_seconds',
    help: 'Age of the oldest published list',
    read: () => identities.figures().oldestMs / 1000,
  },
  {
    name: 'postern_identity_fetches_total',
    help: 'Fetches of published lists',
    read: () => identities.figures().fetches,
  },
  {
    name: 'postern_identity_fetch_failures_total',
    help: 'Fetches of published lists that failed',
    read: () => identities.figures().failures,
  },
  ...(['resolved', 'failed', 'dropped'] as const).map((outcome) => ({
    name: 'postern_identity_names_total',
    help: 'Look-ups of host names of addresses, by outcome',
    labels: { outcome },
    read: () => identities.figures().dns[outcome],
  })),
];

const listSignatures = (signatures: Signatures): Metric[] => [
  ...(['verified', 'failed', 'unknown'] as const).map((outcome) => ({
    name: 'postern_signatures_total',
    help: 'Signatures of visitors in the name of a known agent, by outcome',
    labels: { outcome },
    read: () => signatures.figures()[outcome],
  })),
  {
    name: 'postern_signature_directories',
    help: 'Agents whose keys are in memory or being fetched',
    read: () => signatures.figures().directories,
  },
  {
    name: 'postern_signature_directories_failing',
    help: 'Agents whose keys could not be fetched the last time',
    read: () => signatures.directories().filter(({ failures }) => failures > 0).length,
  },
  {
    name: 'postern_signature_directory_age_seconds',
    help: 'Age of the oldest keys of an agent',
    read: () => Math.max(0, ...signatures.directories().map(({ ageMs }) => ageMs ?? 0)) / 1000,
  },
  {
    name: 'postern_signature_fetches_total',
    help: 'Fetches of the keys of agents',
    read: () => signatures.figures().fetches,
  },
  {
    name: 'postern_signature_fetch_failures_total',
    help: 'Fetches of the keys of agents that failed',
    read: () => signatures.figures().failures,
  },
];

/** A list that was never fetched has no age: NaN. */
function listOfDirectory(identities: Identities, url: string): Metric[] {
  const state = () => identities.lists().find((one) => one.url === url);
  const { host, pathname } = new URL(url);
  const labels = { list: host + pathname };
  return [
    {
      name: 'postern_crawler_list_age_seconds',
      help: 'Age of a published list of the crawler directory',
      labels,
      read: () => identities.ageOf(url) / 1000,
    },
    {
      name: 'postern_crawler_list_failures',
      help: 'Failed fetches of a published list of the crawler directory since the last that succeeded',
      labels,
      read: () => state()?.failures ?? 0,
    },
  ];
}

/** The crawlers whose names can be disproven are a closed list; all others are one row. */
function listSpoofed(ledger: VisitorParts['ledger']): Metric[] {
  const known = CRAWLERS.filter(({ identities }) => identities.length > 0).map(({ name }) => name);
  const isKnown = new Set<string | null>(known);
  const metric = (crawler: string, read: () => number): Metric => ({
    name: 'postern_spoofed_checks_total',
    help: 'Decisions recorded by this node under a false name, by the crawler that the user agent names',
    labels: { crawler },
    read,
  });
  const others = () => {
    let sum = 0;
    for (const [crawler, checks] of ledger.figures().spoofed) if (!isKnown.has(crawler)) sum += checks;
    return sum;
  };
  return [...known.map((name) => metric(name, () => ledger.figures().spoofed.get(name) ?? 0)), metric('', others)];
}
