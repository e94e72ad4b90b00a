/**
 * What is wrong with a value, in words: walks a JSON schema only after the compiled check said no, names every place, says
 * what would be right, and offers the nearest known name for one it does not know.
 */
import type { Problem } from '../errors.ts';
import { plainKey } from '../lib/json.ts';
import { lengthOf, nearest } from '../lib/text.ts';
import { FORMATS } from './formats.ts';
import { pathTo } from './json.ts';

/** The part of JSON Schema that our schemas use. */
export interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  minProperties?: number;
  maxProperties?: number;
  propertyNames?: { minLength: number; maxLength: number };
  items?: Schema;
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  /** Of a body: the list whose entries are each checked on their own, so that a bad one spoils no other. */
  itemsApart?: string;
  /** Of a body: fields of the record that an edit cannot change. */
  fixed?: readonly string[];
}

const PROBLEMS_MAX = 100;

/** At least one problem, in the order of the schema; `what` names the whole ("body", "query"). */
export function problemsOf(schema: Schema, value: unknown, what: string): [Problem, ...Problem[]] {
  const problems: Problem[] = [];
  walk(schema, value, '', what, problems);
  const [first, ...rest] = problems;
  if (first === undefined) return [{ param: null, message: `The ${what} is not of the documented form.` }];
  return [first, ...rest.slice(0, PROBLEMS_MAX - 1)];
}

function walk(schema: Schema, value: unknown, path: string, what: string, problems: Problem[]): void {
  if (problems.length >= PROBLEMS_MAX) return;
  const name = path === '' ? `The ${what}` : `\`${path}\``;
  const say = (message: string): void => {
    problems.push({ param: path === '' ? null : path, message: `${name} ${message}.` });
  };
  if (schema.anyOf !== undefined) return walkUnion(schema.anyOf, value, path, what, problems, say);
  if (schema.enum !== undefined) {
    if (schema.enum.includes(value)) return;
    if (value === undefined) say('is required');
    else say(`must be one of ${schema.enum.map(String).join(', ')}${hint(value, schema.enum)}`);
    return;
  }
  if (schema.const !== undefined) {
    if (value !== schema.const) say(`must be ${JSON.stringify(schema.const)}`);
    return;
  }
  if (schema.type !== undefined && !isOfType(schema.type, value)) {
    say(value === undefined ? 'is required' : `must be ${ARTICLE[schema.type] ?? schema.type}`);
    return;
  }
  if (typeof value === 'string') checkText(schema, value, say);
  else if (typeof value === 'number') checkNumber(schema, value, say);
  else if (Array.isArray(value)) {
    checkCount(value.length, schema.minItems, schema.maxItems, 'entries', say);
    if (schema.items !== undefined) {
      for (const [i, item] of value.entries()) walk(schema.items, item, pathTo(path, i), what, problems);
    }
  } else if (typeof value === 'object' && value !== null) walkObject(schema, value, path, what, problems, say);
}

const ARTICLE: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

const hint = (value: unknown, known: readonly unknown[]): string => {
  const near = typeof value === 'string' ? nearest(value, known.map(String)) : undefined;
  return near === undefined ? '' : ` (nearest: ${near})`;
};

function walkObject(
  schema: Schema,
  value: object,
  path: string,
  what: string,
  problems: Problem[],
  say: (message: string) => void,
): void {
  const properties = schema.properties ?? {};
  const unnamed = Object.values(schema.patternProperties ?? {})[0];
  const unknown =
    schema.additionalProperties === false && unnamed === undefined
      ? Object.keys(value).filter((key) => !Object.hasOwn(properties, key))
      : [];
  const nearOf = new Map(unknown.map((key) => [key, nearest(key, Object.keys(properties))]));
  const sayUnknown = (key: string): void => {
    const param = pathTo(path, key);
    if (schema.fixed?.includes(key) === true) {
      problems.push({ param, message: `\`${param}\` cannot be changed; leave it out.` });
      return;
    }
    const near = nearOf.get(key);
    const advice = near === undefined ? 'remove it.' : `did you mean \`${near}\`?`;
    const kind = what === 'query' ? 'query parameter' : 'field';
    problems.push({ param, message: `Unknown ${kind} \`${param}\`; ${advice}` });
  };
  // First: a name that is misspelt also leaves one missing, and the spelling is what to mend.
  for (const [key, near] of nearOf) if (near !== undefined) sayUnknown(key);
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key))
      problems.push({ param: pathTo(path, key), message: `\`${pathTo(path, key)}\` is required.` });
  }
  const count = Object.keys(value).length;
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    const names = Object.keys(properties).join(', ');
    say(names === '' ? 'must not be empty' : `is empty; give at least one of ${names}`);
  }
  checkCount(count, undefined, schema.maxProperties, 'keys', say);
  for (const [key, item] of Object.entries(value)) {
    const inner = pathTo(path, key);
    if (schema.propertyNames !== undefined && !isWithin(schema.propertyNames, lengthOf(plainKey(key)))) {
      const { minLength, maxLength } = schema.propertyNames;
      problems.push({
        param: inner,
        message: `The key \`${inner}\` must have ${minLength} to ${maxLength} characters.`,
      });
    }
    if (Object.hasOwn(properties, key)) walk(properties[key] as Schema, item, inner, what, problems);
    else if (unnamed !== undefined) walk(unnamed, item, inner, what, problems);
    else if (nearOf.has(key) && nearOf.get(key) === undefined) sayUnknown(key);
  }
}

const isWithin = ({ minLength, maxLength }: { minLength: number; maxLength: number }, length: number): boolean =>
  length >= minLength && length <= maxLength;

/** The branch the value comes nearest to speaks for the union: by type first, then the one with the fewest problems. */
function walkUnion(
  branches: readonly Schema[],
  value: unknown,
  path: string,
  what: string,
  problems: Problem[],
  say: (message: string) => void,
): void {
  const fitting = branches.filter((branch) => branch.type === undefined || isOfType(branch.type, value));
  let best: Problem[] | undefined;
  for (const branch of fitting) {
    const found: Problem[] = [];
    walk(branch, value, path, what, found);
    if (found.length === 0) return;
    if (best === undefined || found.length < best.length) best = found;
  }
  if (best !== undefined) problems.push(...best);
  else if (value === undefined) say('is required');
  else {
    const kinds = branches.map((branch) => ARTICLE[branch.type ?? ''] ?? 'another value');
    say(`must be ${[...new Set(kinds)].join(' or ')}`);
  }
}

function checkText(schema: Schema, value: string, say: (message: string) => void): void {
  const length = lengthOf(value);
  if (schema.minLength !== undefined && length < schema.minLength) {
    say(schema.minLength === 1 ? 'must not be empty' : `must have at least ${schema.minLength} characters`);
  } else if (schema.maxLength !== undefined && length > schema.maxLength) {
    say(`must have at most ${schema.maxLength} characters, not ${length}`);
  } else if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    say(schema.description ?? `must match ${schema.pattern}`);
  } else if (schema.format !== undefined) {
    const format = FORMATS[schema.format as keyof typeof FORMATS];
    if (!format.test(value)) say(format.expected);
  }
}

function checkNumber(schema: Schema, value: number, say: (message: string) => void): void {
  if (schema.minimum !== undefined && value < schema.minimum) say(`must be at least ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) say(`must be at most ${schema.maximum}`);
}

function checkCount(
  count: number,
  min: number | undefined,
  max: number | undefined,
  noun: string,
  say: (message: string) => void,
): void {
  if (min !== undefined && count < min) say(min === 1 ? 'must not be empty' : `must have at least ${min} ${noun}`);
  if (max !== undefined && count > max) say(`must have at most ${max} ${noun}, not ${count}`);
}
