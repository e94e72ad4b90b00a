/**
 * A policy file: a policy as it is sent to `POST /v1/policies`, with named cases beside it, as JSON or YAML. Promise: it is
 * held to the schemas of the API and refused in the same words; an unknown field is a problem, never passed over.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { LineCounter, parseDocument } from 'yaml';
import { CreateContent } from '../content/schema.ts';
import type { Problem } from '../errors.ts';
import { pathTo, uncarriedIn } from '../http/json.ts';
import { problemsOf, type Schema } from '../http/problems.ts';
import { REASONS, type Reason } from '../ledger/reason.ts';
import { repeatedKey } from '../lib/json-keys.ts';
import { PERMISSION_PATTERN } from '../policies/conditions.ts';
import { CreatePolicy } from '../policies/schema.ts';
import { CreateLicense, CreateRequester } from '../requesters/schema.ts';
import { CheckRequest } from './schema.ts';

const closed = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** Cases count nothing, so no limit is ever used up. */
const POSSIBLE_REASONS = (Object.keys(REASONS) as Reason[]).filter((reason) => reason !== 'rate_limit_exceeded');

const CaseCheck = closed({
  contentId: Type.Optional(CheckRequest.properties.contentId),
  content: Type.Optional(
    closed({
      externalId: Type.Optional(CreateContent.properties.externalId),
      type: Type.Optional(CreateContent.properties.type),
      tags: CreateContent.properties.tags,
      metadata: CreateContent.properties.metadata,
      policyId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      archived: Type.Optional(Type.Boolean()),
    }),
  ),
  requesterId: CheckRequest.properties.requesterId,
  requester: Type.Optional(
    closed({
      type: CreateRequester.properties.type,
      tags: CreateRequester.properties.tags,
      metadata: CreateRequester.properties.metadata,
      suspended: Type.Optional(Type.Boolean()),
    }),
  ),
  licenses: Type.Optional(
    Type.Array(
      closed({
        type: CreateLicense.properties.type,
        features: CreateLicense.properties.features,
        startsAt: CreateLicense.properties.startsAt,
        expiresAt: CreateLicense.properties.expiresAt,
        scope: CreateLicense.properties.scope,
      }),
      { maxItems: 100 },
    ),
  ),
  permission: CheckRequest.properties.permission,
  purpose: CheckRequest.properties.purpose,
  context: CheckRequest.properties.context,
  at: Type.Optional(Type.String({ format: 'date-time' })),
});

const Expectation = closed({
  allowed: Type.Boolean(),
  reason: Type.Optional(Type.Union([Type.Enum(POSSIBLE_REASONS), Type.Null()])),
  permissions: Type.Optional(Type.Array(Type.String({ pattern: PERMISSION_PATTERN }), { maxItems: 50 })),
  rule: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
});
export type Expectation = Static<typeof Expectation>;

const PolicyCase = closed({
  name: CreatePolicy.properties.name,
  check: CaseCheck,
  expect: Expectation,
});
export type PolicyCase = Static<typeof PolicyCase>;

export const PolicyFile = closed({
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Which policy of the service it is; without it, the one of this name',
    }),
  ),
  ...CreatePolicy.properties,
  cases: Type.Optional(Type.Array(PolicyCase, { maxItems: 10_000 })),
});
export type PolicyFile = Static<typeof PolicyFile>;

export type PolicyFileFormat = 'json' | 'yaml';

export type ReadPolicyFile = { file: PolicyFile; problems: null } | { file: null; problems: [Problem, ...Problem[]] };

const compiled = Compile(PolicyFile);

/** The file's content checked, or everything that is wrong with it. */
export function readPolicyFile(bytes: Uint8Array, format: PolicyFileFormat): ReadPolicyFile {
  try {
    const value = parse(textOf(bytes), format);
    const problem = uncarriedIn(value, 'file');
    if (problem !== undefined) return { file: null, problems: [problem] };
    if (compiled.Check(value)) return { file: value, problems: null };
    return { file: null, problems: problemsOf(PolicyFile as Schema, value, 'file') };
  } catch (error) {
    if (error instanceof Unreadable) return { file: null, problems: [{ param: null, message: error.message }] };
    throw error;
  }
}

/** The bytes are not what the file says it is. */
class Unreadable extends Error {}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable('The file is not valid UTF-8.');
  }
}

function parse(text: string, format: PolicyFileFormat): unknown {
  return format === 'json' ? parseJsonText(text) : parseYaml(text);
}

function parseJsonText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`The file is not valid JSON: ${oneLine((error as Error).message)}.`);
  }
  const repeated = repeatedKey(text, value);
  if (repeated === undefined) return value;
  throw new Unreadable(
    `${repeated.reduce<string>(pathTo, '')} is given more than once in the same object; give it once.`,
  );
}

/** YAML 1.2: `no` is a text, not false, and a date is a text. What the parser only warns of is refused as well. */
function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2', schema: 'core' });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const { line, col } = lineCounter.linePos(fault.pos[0]);
    const what = fault.code === 'MULTIPLE_DOCS' ? 'it holds several documents; keep one' : oneLine(fault.message);
    throw new Unreadable(`The file is not valid YAML: ${what} (line ${line}, column ${col}).`);
  }
  try {
    return document.toJS();
  } catch (error) {
    // Aliases that lead nowhere, or that would blow a small file up.
    throw new Unreadable(`The file is not valid YAML: ${oneLine((error as Error).message)}.`);
  }
}

const oneLine = (message: string): string => message.replaceAll(/\s+/g, ' ').replace(/[.\s]+$/, '');
