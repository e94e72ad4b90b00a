/** Somebody who asks for content and has been registered. Who is not registered is counted under the id it gives. */
import type { RequesterFacts } from '../policies/facts.ts';

export const REQUESTER_STATUSES = ['active', 'suspended'] as const;
export type RequesterStatus = (typeof REQUESTER_STATUSES)[number];

export interface Requester {
  /** The requester's number in the store; never on the wire. 0 before it is stored. */
  no: number;
  /** Chosen by the client, or `req_…`. */
  id: string;
  name: string;
  type: string | null;
  tags: string[];
  /** Texts by which its user agent is known: any of them, in upper or lower case. */
  userAgents: string[];
  metadata: Record<string, unknown>;
  status: RequesterStatus;
  createdAt: number;
  updatedAt: number;
}

export const REQUESTER_PREFIX = 'req_';

export const toRequesterFacts = (requester: Requester): RequesterFacts => ({
  type: requester.type,
  tags: requester.tags,
  metadata: requester.metadata,
  suspended: requester.status === 'suspended',
});
