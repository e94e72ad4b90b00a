/** The header `Signature-Agent`, and which of its agents a signature speaks for. Pure. */
import { parseItem, Token } from 'structured-headers';
import { readMember } from './agent.ts';
import type { Fault } from './outcome.ts';
import { type Component, readDictionary } from './request.ts';

/** The agents by the keys of the dictionary; undefined for a member to ignore. The legacy form has one, ''. */
export interface AgentField {
  isLegacy: boolean;
  members: ReadonlyMap<string, string | undefined>;
}

/** Returns undefined for a header that is neither a dictionary nor, in the legacy form, a string. */
export function readAgents(line: string): AgentField | undefined {
  if (line.startsWith('"')) {
    const text = readString(line);
    return text === undefined ? undefined : { isLegacy: true, members: new Map([['', readMember(text)]]) };
  }
  const dictionary = readDictionary(line);
  if (dictionary === undefined) return undefined;
  const members = new Map<string, string | undefined>();
  for (const [key, [value, parameters]] of dictionary) {
    const type = parameters.get('type');
    const isTyped = type === undefined || type instanceof Token;
    members.set(key, typeof value === 'string' && isTyped ? readMember(value, type?.toString()) : undefined);
  }
  return { isLegacy: false, members };
}

function readString(line: string): string | undefined {
  try {
    const [value] = parseItem(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `agent` is undefined for a member to ignore. */
export type Attributed = { agent: string | undefined; why?: undefined } | { why: Fault };

/**
 * Finds the agent whose member the signature covers. The member has the signature's label. Another one, or the whole
 * header, is accepted only if the header has no second member: the published vectors and real agents need that.
 */
export function attribute(field: AgentField, label: string, components: readonly Component[]): Attributed {
  const covered = components.filter(({ name }) => name === 'signature-agent');
  if (covered.length === 0) return { why: 'agent_not_covered' };
  // In any form: `sf`, which this verifier does not rebuild, is no fault of the signer.
  const isWhole = covered.some(({ parameters }) => !parameters.has('key'));
  if (field.isLegacy) return isWhole ? pickOnly(field) : { why: 'agent_missing' };
  const keys = covered.map(({ parameters }) => parameters.get('key'));
  if (keys.includes(label)) return findMember(field, label);
  if (isWhole) return pickOnly(field);
  const found = findMember(field, keys[0]);
  return found.why === undefined ? pickOnly(field) : found;
}

function pickOnly({ members }: AgentField): Attributed {
  const [agent, ...more] = members.values();
  return more.length > 0 ? { why: 'agent_ambiguous' } : { agent };
}

const findMember = ({ members }: AgentField, key: unknown): Attributed =>
  typeof key === 'string' && members.has(key) ? { agent: members.get(key) } : { why: 'agent_missing' };
