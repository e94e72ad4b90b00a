/** A registered requester of content. Unregistered ids are still counted. */
import { type Static, Type } from 'typebox';
import { metadata } from '../api/changes/metadata.ts';
import { firstValues, optional, schemas } from '../lib/fields.ts';
import { orNull } from '../lib/nullable.ts';
import { identities } from '../rules/crawlers/identity.ts';
import type { RequesterFacts } from '../rules/facts.ts';

export const REQUESTER_STATUSES = ['active', 'suspended'] as const;
export type RequesterStatus = (typeof REQUESTER_STATUSES)[number];

const shortText = Type.String({ minLength: 1, maxLength: 64 });
/** Shorter texts occur in nearly every user agent; what begins otherwise is no token of one. */
const userAgent = Type.String({
  minLength: 3,
  maxLength: 256,
  format: 'plain-text',
  pattern: String.raw`^[\w\-\u0080-\uffff]`,
  description: '3–256 characters; begins with a letter or a digit',
  expected: 'must have 3 to 256 characters and begin with a letter or a digit, such as ExampleBot',
});

/** An email address that a person may be written to. */
export const emailAddress = Type.String({
  maxLength: 254,
  pattern: '^[!-~]+@[!-~]+$',
  description: 'An email address',
  expected: 'must be an email address, such as licensing@example.com',
});

/** Lines of text; no other control characters. */
const lines = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: String.raw`^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]+$`,
  expected: 'must have 1 to 1,000 characters, and no control characters but line feeds',
});

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  type: optional(orNull(shortText), null),
  tags: optional(Type.Array(shortText, { maxItems: 50 }), []),
  userAgents: optional(
    Type.Array(userAgent, {
      maxItems: 50,
      description: 'Tokens of its user agent, case-insensitive, by which `/v1/authorize` recognizes it',
    }),
    [],
  ),
  identities: optional(identities, []),
  contactName: optional(
    orNull(Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' }), 'The person to write to'),
    null,
  ),
  email: optional(orNull(emailAddress, 'The email address to write to'), null),
  billingAddress: optional(orNull(lines, 'Where bills go, in lines'), null),
  metadata: optional(metadata, {}),
  status: optional(Type.Enum([...REQUESTER_STATUSES]), 'active'),
};
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' }),
  ...schemas(OPTIONAL),
};
const Fields = Type.Object(FIELDS);

export interface Requester extends Static<typeof Fields> {
  /** The requester's number in the store, never on the wire; 0 until it is stored. */
  no: number;
  /** Chosen by the client, or `req_…`. */
  id: string;
  createdAt: number;
  updatedAt: number;
}

export const REQUESTER_PREFIX = 'req_';
/** Begins the id under which an erased requester is counted. */
export const PSEUDONYM_PREFIX = 'erased_';

export const toRequesterFacts = (requester: Requester): RequesterFacts => ({
  type: requester.type,
  tags: requester.tags,
  metadata: requester.metadata,
  suspended: requester.status === 'suspended',
});
