/**
 * Removes a requester from JSON that records keep: its id becomes the pseudonym; names, contacts, metadata and free
 * texts go. Pure. Only fields that hold ids of requesters are replaced: an id may be any word.
 */
import type { Replacement } from '../../decisions/history/retention/erase.ts';

type Json = Record<string, unknown>;

const ID_FIELDS: ReadonlySet<string> = new Set(['requesterId', 'requesterIdNot', 'claimed']);
/** Kinds whose `id` is the requester's. */
const NAMED_BY_ID: ReadonlySet<string> = new Set(['requester', 'spoofing', 'denials_jump']);
/** Fields of a requester, its licenses and its tokens that are emptied. */
const EMPTIED: Readonly<Json> = {
  metadata: {},
  userAgents: [],
  identities: [],
  contactName: null,
  email: null,
  billingAddress: null,
  prefix: '',
  requesterName: null,
  note: null,
  answer: null,
};

/** `kind`: the kind of the change or of the version that the JSON belongs to, such as `requester` or `policy`. */
export function scrub(value: unknown, kind: string, by: Replacement): unknown {
  if (Array.isArray(value)) return value.map((one) => scrub(one, kind, by));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Json;
  const own = typeof fields.object === 'string' ? fields.object : kind;
  return scrubFields(fields, { kind: own, isTheirs: isOfRequester(fields, own, by.requesterId) }, by);
}

/** Removes it from former values of some fields of an object. They have no id: the object says whose they are. */
export function scrubPrevious(previous: Json | null, object: Json, kind: string, by: Replacement): unknown {
  return previous && scrubFields(previous, { kind, isTheirs: isOfRequester(object, kind, by.requesterId) }, by);
}

function scrubFields(fields: Json, { kind, isTheirs }: { kind: string; isTheirs: boolean }, by: Replacement): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isTheirs ? toField(name, field, kind, by) : plain(name, field, by),
    ]),
  );
}

/** Returns whether the fields are of a record of the requester. */
function isOfRequester(fields: Json, kind: string, id: string): boolean {
  if (kind === 'requester') return fields.id === id;
  if (kind === 'spoofing') return fields.claimed === id;
  if (!['license', 'license_request', 'requester_token', 'statement', 'access_decision', 'denials_jump'].includes(kind))
    return false;
  return fields.requesterId === id;
}

function toField(name: string, field: unknown, kind: string, by: Replacement): unknown {
  if (name === 'name') return by.pseudonym;
  if (name === 'id' && NAMED_BY_ID.has(kind)) return by.pseudonym;
  if (name === 'terms' && typeof field === 'object' && field !== null) return { ...field, reference: undefined };
  if (kind === 'access_decision' && (name === 'context' || name === 'license')) return null;
  if (name in EMPTIED && field !== undefined) return EMPTIED[name];
  return plain(name, field, by);
}

function plain(name: string, field: unknown, by: Replacement): unknown {
  const replaced = (text: unknown): unknown => (text === by.requesterId ? by.pseudonym : text);
  if (!ID_FIELDS.has(name)) return scrub(field, '', by);
  return Array.isArray(field) ? field.map(replaced) : replaced(field);
}
