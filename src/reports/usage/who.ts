/** Visitors as answered, and in text. Pure. */
import type { CountedWho } from '../../decisions/history/columns/who.ts';
import type { Who } from './visitors-schema.ts';

export const requesterIds = (visitors: readonly CountedWho[]): string[] =>
  visitors.flatMap((one) => (one.kind === 'requester' ? one.id : []));

/** `names`: of registered requesters. */
export function toWho(visitor: CountedWho, names: ReadonlyMap<string, string>): Who {
  const { kind, id } = visitor;
  if (kind === 'crawler') return { kind, id, name: id, proof: visitor.proof };
  return { kind, id, name: id === null ? null : (names.get(id) ?? id) };
}

/** Returns a text for people. */
export const whoText = ({ kind, name, proof }: Who): string => {
  const plain = { browsers: 'browsers', no_user_agent: 'no user agent', unknown: 'unknown' } as const;
  if (kind === 'browsers' || kind === 'no_user_agent' || kind === 'unknown') return plain[kind];
  return proof === undefined || proof === 'none' ? `${name}` : `${name} (${proof})`;
};
