/**
 * Verifies the HTTP Message Signatures of a request (RFC 9421) as agents of Web Bot Auth make them
 * (draft-ietf-webbotauth-httpsig-protocol-00). Pure: the keys are passed in. Never throws, for any bytes of a visitor.
 */
import { type BareItem, type InnerList, isInnerList, serializeInnerList, serializeItem } from 'structured-headers';
import { type AgentField, attribute, readAgents } from './agent-field.ts';
import { type AgentKey, verifyWith } from './keys.ts';
import type { Doubt, Fault, SignatureOutcome } from './outcome.ts';
import {
  type Component,
  isSupported,
  openValues,
  type RequestHeaders,
  readDictionary,
  readDictionaryMember,
  readField,
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
export type FindKey = (agent: string, thumbprint: string) => AgentKey | Doubt;

/** Verifies the bytes of a signature. */
export type VerifyBytes = typeof verifyWith;

const NONE: SignatureOutcome = { outcome: 'none' };
const RANK = { verified: 0, failed: 1, unknown: 2, none: 3 } as const;

/** The contents of the three headers of signatures; they depend on nothing else. */
export interface ReadSignatures {
  field: AgentField;
  /** undefined: `Signature-Input` is unreadable. */
  made: readonly Made[] | undefined;
}

/** Returns the signatures of a request; undefined without any that an agent made that is permitted. */
export type ReadHeaders = (headers: RequestHeaders, agents: Agents) => ReadSignatures | undefined;

/** Each signature is verified by itself; a verified one outweighs a failed one, and a failed one an unknown one. */
export function judge(
  request: SignedRequest,
  agents: Agents,
  findKey: FindKey,
  {
    verifyBytes = verifyWith,
    readHeaders = readSignatures,
  }: { verifyBytes?: VerifyBytes; readHeaders?: ReadHeaders } = {},
): SignatureOutcome {
  const { headers } = request;
  if (headers['signature-input'] === undefined) return NONE;
  const read = readHeaders(headers, agents);
  const claimed = read && findClaimed(read.field, agents);
  if (read === undefined || claimed === undefined) return NONE;
  const { field, made } = read;
  if (made === undefined) return { outcome: 'failed', agent: claimed, why: 'input_unreadable' };
  const context: Context = { request, field, claimed, agents, findKey, verifyBytes };
  let best = NONE;
  for (const one of made) {
    const found = judgeOne(one, context);
    if (RANK[found.outcome] < RANK[best.outcome]) best = found;
  }
  return best;
}

/** Only signatures in the name of agents that an operator named are worth the work of reading them. */
export function readSignatures(headers: RequestHeaders, agents: Agents): ReadSignatures | undefined {
  const input = readField(headers, 'signature-input');
  const line = readField(headers, 'signature-agent') ?? '';
  const field = readAgents(line);
  if (input === undefined || field === undefined || findClaimed(field, agents) === undefined) return undefined;
  const inputs = readDictionary(input);
  if (inputs === undefined) return { field, made: undefined };
  const signatures = readDictionary(readField(headers, 'signature') ?? '');
  const made = listTagged(inputs).map(([label, list]) => ({
    label,
    parameters: list[1],
    components: listComponents(list, line),
    lastLine: `"@signature-params": ${serializeInnerList(list)}`,
    signature: signatures?.get(label)?.[0],
  }));
  return { field, made };
}

/** Returns the first permitted agent of the header. */
const findClaimed = ({ members }: AgentField, agents: Agents): string | undefined =>
  members.values().find((agent) => agent !== undefined && agents.has(agent));

const listTagged = (inputs: NonNullable<ReturnType<typeof readDictionary>>): [string, InnerList][] =>
  [...inputs]
    .filter((entry): entry is [string, InnerList] => isInnerList(entry[1]) && entry[1][1].get('tag') === TAG)
    .slice(0, SIGNATURES_MAX);

/** A signature of a request, as its member of `Signature-Input` describes it. */
interface Made {
  label: string;
  parameters: InnerList[1];
  components: readonly Component[];
  /** The last line of the signature base. */
  lastLine: string;
  signature: unknown;
}

interface Context {
  request: SignedRequest;
  field: AgentField;
  /** The first permitted agent of the header. */
  claimed: string;
  agents: Agents;
  findKey: FindKey;
  verifyBytes: VerifyBytes;
}

/** `line`: the header `Signature-Agent`. */
const listComponents = ([items]: InnerList, line: string): Component[] =>
  items.map(([text, parameters]) => {
    // The name of a component is a String; `""` is none.
    const name = typeof text === 'string' ? text : '';
    const key = parameters.get('key');
    const value = name === 'signature-agent' && typeof key === 'string' ? readDictionaryMember(line, key) : undefined;
    return { name, parameters, identifier: serializeItem([text, parameters]), value };
  });

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
  const { parameters } = made;
  const base = buildSignatureBase(made, request);
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
function findFault({ parameters, components, signature }: Made, at: number): Fault | undefined {
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
function buildSignatureBase({ lastLine, components }: Made, request: SignedRequest): Buffer | undefined {
  if (components.length > COMPONENTS_MAX) return undefined;
  const readComponent = openValues(request);
  const lines: string[] = [];
  for (const component of components) {
    const value = component.value ?? readComponent(component);
    // A line end within a value would let one component pass for two.
    if (value === undefined || /[\r\n]/.test(value)) return undefined;
    lines.push(`${component.identifier}: ${value}`);
  }
  lines.push(lastLine);
  // Node.js reads headers as Latin-1: their bytes are restored.
  return Buffer.from(lines.join('\n'), 'latin1');
}
