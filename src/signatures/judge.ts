/**
 * Verifies the HTTP Message Signatures of a request (RFC 9421) as agents of Web Bot Auth make them
 * (draft-ietf-webbotauth-httpsig-protocol-00). Pure: the keys are passed in. Never throws, for any bytes of a visitor.
 */
import { type BareItem, type InnerList, isInnerList, serializeInnerList, serializeItem } from 'structured-headers';
import { type AgentField, attribute, readAgents } from './agent-field.ts';
import { type Key, verifyWith } from './keys.ts';
import type { Doubt, Fault, SignatureOutcome } from './outcome.ts';
import {
  type Component,
  fieldOf,
  isSupported,
  openValues,
  type RequestHeaders,
  readDictionary,
  type SignedRequest,
} from './request.ts';

const TAG = 'web-bot-auth';
/** Signatures of a request that are verified; a request through a remote browser has two. */
const SIGNATURES_MAX = 3;
const COMPONENTS_MAX = 32;
/** Difference of clocks that is tolerated. */
const SKEW_MS = 60_000;

/** Agents in normal form (`agentOf`). */
export type Agents = Pick<ReadonlySet<string>, 'has'>;

/** Looks a key up by the pair of agent and thumbprint: an agent's key says nothing about other agents. */
export type FindKey = (agent: string, thumbprint: string) => Key | Doubt;

/** Verifies the bytes of a signature. */
export type VerifyBytes = typeof verifyWith;

const NONE: SignatureOutcome = { outcome: 'none' };
const RANK = { verified: 0, failed: 1, unknown: 2, none: 3 } as const;

/** Each signature is verified by itself; a verified one outweighs a failed one, and a failed one an unknown one. */
export function judge(
  request: SignedRequest,
  agents: Agents,
  findKey: FindKey,
  verifyBytes: VerifyBytes = verifyWith,
): SignatureOutcome {
  const { headers } = request;
  if (headers['signature-input'] === undefined) return NONE;
  const claim = readClaim(headers, agents);
  if (claim === undefined) return NONE;
  const { input, field, claimed } = claim;
  const inputs = readDictionary(input);
  if (inputs === undefined) return { outcome: 'failed', agent: claimed, why: 'input_unreadable' };
  const signatures = readDictionary(fieldOf(headers, 'signature') ?? '');
  const context: Context = { request, field, claimed, agents, findKey, verifyBytes };
  let best = NONE;
  for (const [label, list] of listTagged(inputs)) {
    const made: Made = { label, list, components: listComponents(list), signature: signatures?.get(label)?.[0] };
    const found = judgeOne(made, context);
    if (RANK[found.outcome] < RANK[best.outcome]) best = found;
  }
  return best;
}

interface Claim {
  input: string;
  field: AgentField;
  /** The first permitted agent of the header. */
  claimed: string;
}

/** Returns undefined without a permitted agent: only those that an operator named are worth the work that follows. */
function readClaim(headers: RequestHeaders, agents: Agents): Claim | undefined {
  const input = fieldOf(headers, 'signature-input');
  const field = readAgents(fieldOf(headers, 'signature-agent') ?? '');
  if (input === undefined || field === undefined) return undefined;
  const claimed = [...field.members.values()].find((agent) => agent !== undefined && agents.has(agent));
  return claimed === undefined ? undefined : { input, field, claimed };
}

const listTagged = (inputs: NonNullable<ReturnType<typeof readDictionary>>): [string, InnerList][] =>
  [...inputs]
    .filter((entry): entry is [string, InnerList] => isInnerList(entry[1]) && entry[1][1].get('tag') === TAG)
    .slice(0, SIGNATURES_MAX);

/** A signature of a request. */
interface Made {
  label: string;
  /** The member of `Signature-Input`. */
  list: InnerList;
  components: readonly Component[];
  signature: unknown;
}

interface Context extends Omit<Claim, 'input'> {
  request: SignedRequest;
  agents: Agents;
  findKey: FindKey;
  verifyBytes: VerifyBytes;
}

const listComponents = ([items]: InnerList): Component[] =>
  items.map((item) => ({
    // The name of a component is a String; `""` is none.
    name: typeof item[0] === 'string' ? item[0] : '',
    parameters: item[1],
    identifier: serializeItem(item),
  }));

function judgeOne(made: Made, context: Context): SignatureOutcome {
  const attributed = attribute(context.field, made.label, made.components);
  const isFaulty = attributed.why !== undefined;
  const agent = isFaulty ? (context.field.members.get(made.label) ?? context.claimed) : attributed.agent;
  if (agent === undefined || !context.agents.has(agent)) return NONE;
  const why = attributed.why ?? findFault(made, context.request.at);
  if (why !== undefined) return { outcome: 'failed', agent, why };
  if (!made.components.every(isSupported)) return { outcome: 'unknown', agent, why: 'component_unsupported' };
  return judgeBytes(made, context, agent);
}

/** Judges a signature in which nothing is wrong but, perhaps, its bytes. */
function judgeBytes(made: Made, { request, findKey, verifyBytes }: Context, agent: string): SignatureOutcome {
  const failed = (why: Fault): SignatureOutcome => ({ outcome: 'failed', agent, why });
  const parameters = made.list[1];
  const base = baseOf(made, request);
  if (base === undefined) return failed('component_missing');
  const key = findKey(agent, parameters.get('keyid') as string);
  if (typeof key === 'string') return { outcome: 'unknown', agent, why: key };
  if (request.at < key.notBefore - SKEW_MS || request.at > key.notAfter + SKEW_MS) {
    return { outcome: 'unknown', agent, why: 'key_unknown' };
  }
  const algorithm = parameters.get('alg');
  if (algorithm !== undefined && algorithm !== key.algorithm) return failed('wrong_algorithm');
  const isRight = verifyBytes(key, base, Buffer.from(made.signature as ArrayBuffer));
  return isRight ? { outcome: 'verified', agent } : failed('wrong_signature');
}

/** Returns what is wrong with a signature, as far as no key is needed to know. */
function findFault({ list, components, signature }: Made, at: number): Fault | undefined {
  const parameters = list[1];
  const [created, expires] = [parameters.get('created'), parameters.get('expires')];
  if (components.some(({ name }) => name === '')) return 'input_unreadable';
  if (!(signature instanceof ArrayBuffer)) return 'signature_unreadable';
  if (!isTime(created) || !isTime(expires) || typeof parameters.get('keyid') !== 'string') return 'parameter_missing';
  if (!isAsymmetric(parameters.get('alg'))) return 'wrong_algorithm';
  if (created * 1000 > at + SKEW_MS) return 'created_in_future';
  if (expires * 1000 < at - SKEW_MS || expires < created) return 'expired';
  return findCoverageFault(components);
}

function findCoverageFault(components: readonly Component[]): Fault | undefined {
  const identifiers = new Set(components.map(({ identifier }) => identifier));
  if (!identifiers.has('"@authority"') && !identifiers.has('"@target-uri"')) return 'target_not_covered';
  return identifiers.size < components.length ? 'component_repeated' : undefined;
}

const isTime = (value: unknown): value is number => Number.isInteger(value);

/** A shared secret would let the verifier sign in the agent's name. */
const isAsymmetric = (algorithm: BareItem | undefined): boolean =>
  algorithm === undefined || (typeof algorithm === 'string' && !algorithm.startsWith('hmac'));

/** Returns the signature base (RFC 9421, 2.5); undefined if the request lacks a component. */
function baseOf({ list, components }: Made, request: SignedRequest): Buffer | undefined {
  if (components.length > COMPONENTS_MAX) return undefined;
  const valueOf = openValues(request);
  const lines: string[] = [];
  for (const component of components) {
    const value = valueOf(component);
    // A line end within a value would let one component pass for two.
    if (value === undefined || /[\r\n]/.test(value)) return undefined;
    lines.push(`${component.identifier}: ${value}`);
  }
  lines.push(`"@signature-params": ${serializeInnerList(list)}`);
  // Node.js reads headers as Latin-1: their bytes are restored.
  return Buffer.from(lines.join('\n'), 'latin1');
}
