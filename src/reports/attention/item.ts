/** The kinds of things that need attention, their order and their greatest number. Pure. */
export const SEVERITIES = ['high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Each kind with what it says. */
export const KINDS = {
  license_ending: 'A license ends within 30 days',
  quota: 'A license has used at least 80 % of its quota',
  license_request: 'A partner waits for an answer to its request for a license',
  webhook: 'The deliveries of a webhook fail',
  unreadable_address: 'A proxy sent an address that cannot be read within the last day',
  shared_name: 'Several requesters have a user agent or a signature agent: visitors with it are refused',
  identity_list: 'A published list of addresses is held back, or too old to verify visitors',
  crawler_directory: 'The crawler directory cannot be renewed',
  agent_keys: 'The keys of an agent that signs cannot be fetched',
  drift: 'The live files of a site differ from its signals',
  denials: 'A requester, crawler or program is denied far more often than in the days before',
  spoofing: 'A visitor falsely claimed a name within the last day',
  crawler: 'A crawler was seen for the first time within the last seven days',
} as const;
export type AttentionKind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as AttentionKind[];

/** The ids of what an item is about; absent where there is none. */
export interface AttentionSubject {
  requesterId?: string;
  licenseId?: string;
  requestId?: string;
  webhookId?: string;
  /** A site. */
  host?: string;
  crawler?: string;
  program?: string;
  /** The name that was falsely claimed. */
  claimed?: string;
  /** A published list. */
  url?: string;
  agent?: string;
}

/** Depends on the name of the requester that it is about. */
type Message = string | ((name: string) => string);

export interface Item {
  kind: AttentionKind;
  severity: Severity;
  subject: AttentionSubject;
  message: Message;
  /** Epoch ms; null: not known. */
  since: number | null;
  /** The operation to continue with, as a path of the API. */
  path: string;
}

/** `names`: of requesters; others are named by their ids. */
export function formatItemMessage(
  { message, subject: { requesterId = '' } }: Item,
  names?: ReadonlyMap<string, string>,
) {
  return typeof message === 'string' ? message : message(names?.get(requesterId) ?? requesterId);
}

export const ITEMS_MAX = 100;

const severityRank = ({ severity }: Item): number => SEVERITIES.indexOf(severity);
const kindRank = ({ kind }: Item): number => KIND_NAMES.indexOf(kind);

/** Sorts by severity, then by kind, then the longest first; keeps the first ones. */
export function mostUrgent(items: readonly Item[]): { items: Item[]; hasMore: boolean } {
  const sorted = items.toSorted(
    (a, b) =>
      severityRank(a) - severityRank(b) ||
      kindRank(a) - kindRank(b) ||
      (a.since ?? 0) - (b.since ?? 0) ||
      formatItemMessage(a).localeCompare(formatItemMessage(b)),
  );
  return { items: sorted.slice(0, ITEMS_MAX), hasMore: sorted.length > ITEMS_MAX };
}
