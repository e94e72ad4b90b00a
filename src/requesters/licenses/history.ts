/**
 * Requesters and licenses as they were, pure. Promise: for any time since a requester was registered, what a check at
 * that time knew of it and its licenses, deleted ones included. An edit counts from the `updated` of its answer.
 */
import type { LicenseFacts, RequesterFacts } from '../../rules/facts.ts';
import { type Requester, toRequesterFacts } from '../requester.ts';
import { inServingOrder, type License, toLicenseFacts } from './license.ts';

export type HistoryKind = 'requester' | 'license';

/** A record from `at` on; null: it was deleted then. */
interface Version {
  kind: HistoryKind;
  id: string;
  at: number;
  record: Requester | License | null;
}

/** The recorded past of one requester. */
export interface Past {
  /** When the current record was created; null without one. */
  createdAt: number | null;
  /** Versions of the requester and its licenses, in the order of the edits. */
  versions: readonly Version[];
}

/** `facts` is null while the id was not registered. */
export interface PastRequester {
  facts: RequesterFacts | null;
  /** In the order in which they serve. */
  licenses: readonly LicenseFacts[];
}

export const NOBODY: PastRequester = { facts: null, licenses: [] };

/** Returns the requester at a time, or undefined if it existed then but its history starts later. */
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
  const ordered = inServingOrder([...licenses.values()]);
  return { facts: toRequesterFacts(requester), licenses: ordered.map((license) => toLicenseFacts(license)) };
}
