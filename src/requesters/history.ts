/**
 * Requesters and licences as they were, pure. Promise: for any moment since a requester was registered, what a check of
 * that moment knew of it and of its licences, deleted ones included. An edit counts from the `updated` it was answered with.
 */
import type { LicenseFacts, RequesterFacts } from '../policies/facts.ts';
import { type License, toLicenseFacts } from './license.ts';
import { type Requester, toRequesterFacts } from './requester.ts';

export type HistoryKind = 'requester' | 'license';

/** One record from a moment on; null: it was deleted then. */
interface Version {
  kind: HistoryKind;
  id: string;
  at: number;
  record: Requester | License | null;
}

/** All that is known of one requester's past. */
export interface Past {
  /** Of the record as it is now; null when there is none. */
  createdAt: number | null;
  /** Its own versions and its licences', in the order of the edits. */
  versions: readonly Version[];
}

/** `facts` is null when nobody had registered the id. */
export interface PastRequester {
  facts: RequesterFacts | null;
  /** Oldest first. */
  licenses: readonly LicenseFacts[];
}

export const NOBODY: PastRequester = { facts: null, licenses: [] };

/** As of a moment; undefined when the requester existed then and its history does not reach back so far. */
export function requesterAt(past: Past, at: number): PastRequester | undefined {
  let requester: Requester | null | undefined;
  const licenses = new Map<string, License>();
  for (const version of past.versions) {
    if (version.at > at) continue;
    if (version.kind === 'requester') requester = version.record as Requester | null;
    else if (version.record === null) licenses.delete(version.id);
    else licenses.set(version.id, version.record as License);
  }
  if (requester === undefined && past.createdAt !== null && past.createdAt <= at) return undefined;
  if (requester == null) return NOBODY;
  const oldestFirst = [...licenses.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { facts: toRequesterFacts(requester), licenses: oldestFirst.map(toLicenseFacts) };
}
