/**
 * A policy file: the body of `POST /v1/policies` with its collections and named cases, as JSON or YAML. It is
 * validated with the schemas of the API and refused with the same messages; unknown fields are errors.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { pathTo, uncarriedIn } from '../../api/http/json.ts';
import { findProblems, type Schema } from '../../api/http/problems.ts';
import { SELECTOR_NAMES } from '../../content/collections/collection.ts';
import { CreateCollection } from '../../content/collections/schema.ts';
import { CreateContent } from '../../content/schema.ts';
import { CheckRequest } from '../../decisions/check/schema.ts';
import { repeatedKey } from '../../lib/json.ts';
import { orNull } from '../../lib/nullable.ts';
import type { Problem } from '../../lib/refined.ts';
import { parseVisited } from '../../lib/urls/locator.ts';
import { findReadings } from '../../lib/urls/readings.ts';
import { USUAL_URLS } from '../../lib/urls/spellings.ts';
import { CreatePolicy } from '../../policies/schema.ts';
import { CreateLicense, CreateRequester } from '../../requesters/schema.ts';
import { PermissionName } from '../../rules/conditions/names.ts';
import { REASONS, type Reason } from '../../rules/reason.ts';
import { type PolicySource, parseSource, UnreadablePolicy } from './policy-source.ts';

const closed = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** Cases consume no quota, so no limit is ever exceeded. */
const POSSIBLE_REASONS = (Object.keys(REASONS) as Reason[]).filter(
  (reason) => reason !== 'rate_limit_exceeded' && reason !== 'quota_exceeded',
);

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
      source: Type.Optional(CreateContent.properties.source),
    }),
  ),
  url: CheckRequest.properties.url,
  collection: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of the collection of the item or URL' }),
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
  reason: Type.Optional(orNull(Type.Enum(POSSIBLE_REASONS))),
  permissions: Type.Optional(Type.Array(PermissionName, { maxItems: 50 })),
  rule: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
});
export type Expectation = Static<typeof Expectation>;

const PolicyCase = closed({
  name: CreatePolicy.properties.name,
  check: CaseCheck,
  expect: Expectation,
});
export type PolicyCase = Static<typeof PolicyCase>;

const { policyId: _, ...collectionFields } = CreateCollection.properties;
const FileCollection = closed({
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of the collection; without it, the collection with this name',
    }),
  ),
  ...collectionFields,
  policyId: Type.Optional(
    Type.Null({ description: 'null: the collection follows the default policy; without it, it has that of the file' }),
  ),
});

export const PolicyFile = closed({
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of the policy; without it, the policy with this name',
    }),
  ),
  ...CreatePolicy.properties,
  collections: Type.Optional(
    Type.Array(FileCollection, { maxItems: 10_000, description: 'Collections that have the policy' }),
  ),
  cases: Type.Optional(Type.Array(PolicyCase, { maxItems: 10_000 })),
});
export type PolicyFile = Static<typeof PolicyFile>;

export type PolicyFileFormat = 'json' | 'yaml';

export type ReadPolicyFile = { file: PolicyFile; problems: null } | { file: null; problems: [Problem, ...Problem[]] };

const compiled = Compile(PolicyFile);

/** Returns the validated file, or all its faults. A fault names the line and never quotes the file. */
export function readPolicyFile(bytes: Uint8Array, format: PolicyFileFormat): ReadPolicyFile {
  try {
    const text = decode(bytes);
    const source = parseSource(text);
    const value = format === 'json' ? parseJsonText(text, source) : source.value();
    const [uncarried, ...more] = uncarriedIn(value, 'file');
    let problems: [Problem, ...Problem[]] | null = uncarried === undefined ? null : [uncarried, ...more];
    if (!compiled.Check(value)) problems = [...(problems ?? []), ...findProblems(PolicyFile as Schema, value, 'file')];
    problems ??= findFaults(value as PolicyFile);
    if (problems === null) return { file: value as PolicyFile, problems };
    return { file: null, problems: problems.map((one) => withLine(one, source)) as [Problem, ...Problem[]] };
  } catch (error) {
    if (error instanceof UnreadablePolicy) return { file: null, problems: [{ param: null, message: error.message }] };
    throw error;
  }
}

function findFaults(file: PolicyFile): [Problem, ...Problem[]] | null {
  const [first, ...rest] = [...withoutSelectors(file), ...unreadableUrls(file)];
  return first === undefined ? null : [first, ...rest];
}

/** A service refuses such a check too. */
const unreadableUrls = ({ cases = [] }: PolicyFile): Problem[] =>
  cases.flatMap(({ check: { url } }, i) => {
    const param = `cases[${i}].check.url`;
    const message = `\`${param}\` has a path that servers read in different ways. Write the URL as a browser sends it.`;
    return url === undefined || isReadable(url) ? [] : [{ param, message }];
  });

function isReadable(url: string): boolean {
  const locator = parseVisited(url);
  return locator !== undefined && findReadings(locator, USUAL_URLS.index) !== 'unreadable';
}

const withoutSelectors = ({ collections = [] }: PolicyFile): Problem[] =>
  collections.flatMap((collection, i): Problem[] =>
    SELECTOR_NAMES.some((name) => (collection[name] ?? []).length > 0)
      ? []
      : [
          {
            param: `collections[${i}]`,
            message: `\`collections[${i}]\` needs hosts, paths, contentTypes or contentTags.`,
          },
        ],
  );

function withLine({ param, message }: Problem, source: PolicySource): Problem {
  const line = param === null ? undefined : source.lineOf(param);
  return line === undefined ? { param, message } : { param, message: `Line ${line}: ${message}` };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadablePolicy('The file is not valid UTF-8.');
  }
}

function parseJsonText(text: string, source: PolicySource): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the file. JSON is also YAML, so the position comes from the YAML parser.
    throw new UnreadablePolicy(
      `The file is not valid JSON${source.fault === undefined ? '' : ` (${source.fault.at})`}.`,
    );
  }
  const repeated = repeatedKey(text, value);
  if (repeated === undefined) return value;
  throw new UnreadablePolicy(
    `${repeated.reduce<string>(pathTo, '')} is given more than once in the same object; give it once.`,
  );
}
