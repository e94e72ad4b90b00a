/** The fields of one proof of a requester, and the identity that they make. Pure. */
import type { Identity } from '../crawlers/types.ts';

export const WAYS = ['ranges', 'list', 'dns', 'signature'] as const;
export type Way = (typeof WAYS)[number];

/** The texts stay as typed when another way is chosen. */
export interface ProofFields extends Record<Way, string> {
  way: Way;
}

export const NO_FIELDS: ProofFields = { way: 'ranges', ranges: '', list: '', dns: '', signature: '' };

export function toFields(identity: Identity): ProofFields {
  if (identity.kind === 'signature') return { ...NO_FIELDS, way: 'signature', signature: identity.agent };
  if (identity.kind === 'dns') return { ...NO_FIELDS, way: 'dns', dns: identity.suffixes.join('\n') };
  if ('list' in identity) return { ...NO_FIELDS, way: 'list', list: identity.list };
  return { ...NO_FIELDS, way: 'ranges', ranges: identity.ranges.join('\n') };
}

export function toIdentity(fields: ProofFields): Identity {
  const text = fields[fields.way];
  if (fields.way === 'signature') return { kind: 'signature', agent: text.trim() };
  if (fields.way === 'dns') return { kind: 'dns', suffixes: toLines(text.toLowerCase()) };
  if (fields.way === 'list') return { kind: 'ip', list: text.trim() };
  return { kind: 'ip', ranges: toLines(text) };
}

/** Lists are pasted in many forms: a line each, or with commas or spaces between. */
const toLines = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter((line) => line !== ''))];

const isSame = (one: Identity, other: Identity): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Replaces a proof, adds one (without `before`) or removes one (without `after`) in the stored list, which may be
 * newer than the page. Throws for a proof that is gone, and for a duplicate.
 */
export function changeProofs(
  stored: readonly Identity[],
  { before, after }: { before?: Identity | undefined; after?: Identity },
): Identity[] {
  const place = before === undefined ? stored.length : stored.findIndex((one) => isSame(one, before));
  if (place === -1) throw new Error('This proof was changed or removed in the meantime. Close this and look again.');
  const others = stored.toSpliced(place, 1);
  if (after === undefined) return others;
  if (others.some((one) => isSame(one, after))) throw new Error('This proof is in the list already.');
  return stored.toSpliced(place, 1, after);
}

/** Returns the line that `param` of a refusal names, such as `identities[2].ranges[1]`; undefined for none. */
export function findLine(param: string | undefined, identity: Identity): string | undefined {
  const [, list, place] = /\.(ranges|suffixes)\[(\d+)\]$/.exec(param ?? '') ?? [];
  const lines =
    list === 'ranges' && 'ranges' in identity ? identity.ranges : 'suffixes' in identity ? identity.suffixes : [];
  return lines[Number(place)];
}
