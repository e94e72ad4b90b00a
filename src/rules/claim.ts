/** The claim of an allowed check on the limit of its rule. Pure. */
import { createHash } from 'node:crypto';
import type { CompiledRule } from './compile.ts';
import type { Facts } from './facts.ts';
import type { Limit } from './limit.ts';

/** A request for one admission under a limit. Checks with equal keys share it. */
export interface Claim {
  readonly key: string;
  readonly limit: Limit;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** `file`: the URL of a page's file. */
export function toClaim(limit: NonNullable<CompiledRule['limit']>, file: string | null, facts: Facts): Claim {
  let holder = 'g';
  // A URL is the visitor's text, and PostgreSQL's index takes no long keys.
  if (limit.scope === 'content') holder = facts.content === null ? `u${digest(file ?? '')}` : `c${facts.content.no}`;
  // Anonymous checks share one allowance; no requester id can collide with its key.
  // What is in no collection shares one allowance.
  else if (limit.scope === 'collection') holder = `k${facts.place.collectionId ?? ''}`;
  else if (limit.scope === 'requester') holder = facts.requesterId === null ? 'a' : `r${facts.requesterId}`;
  return { key: `${limit.id}.${holder}`, limit };
}
