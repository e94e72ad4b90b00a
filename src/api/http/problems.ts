/**
 * Explains why a value does not match its schema, after the compiled check has failed. Every problem names its field
 * and what is accepted; an unknown field gets the nearest known name.
 */
import type { Problem, Refinement } from '../../lib/refined.ts';
import { countCharacters, nearest } from '../../lib/text.ts';
import { findFormat } from './formats.ts';
import { pathTo } from './json.ts';

/** The keywords of JSON Schema that the schemas of the service use. */
export interface Schema {
  type?: string;
  /** Completes "`field` …" in the error for a text that does not match `pattern` or `format`. */
  expected?: string;
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
  /** In a body: the list whose entries are validated one by one, so that a bad entry does not affect the others. */
  itemsApart?: string;
  /** Fields of which one is required; the route refuses a body without any. */
  oneRequired?: readonly [string, string];
  /** In a body: fields of the record that an edit cannot change. */
  fixed?: readonly string[];
  /** A rule beside the shape, such as an order of times. */
  rule?: Refinement<never>;
}

const PROBLEMS_MAX = 100;
/** Each unknown field is compared with all known ones, and a hostile body has thousands. */
const UNKNOWN_MAX = 20;

/** Returns at least one problem, in the order of the schema. `what` names the whole ("body", "query"). */
export function findProblems(schema: Schema, value: unknown, what: string): [Problem, ...Problem[]] {
  const walk = new Walk(what);
  walk.value(schema, value, '');
  const [first, ...rest] = walk.problems;
  if (first === undefined) return [{ param: null, message: `The ${what} does not match its documentation.` }];
  return [first, ...rest.slice(0, PROBLEMS_MAX - 1)];
}

/** The problems of one value and everything inside it. */
class Walk {
  readonly problems: Problem[] = [];
  readonly #what: string;

  constructor(what: string) {
    this.#what = what;
  }

  get #isFull(): boolean {
    return this.problems.length >= PROBLEMS_MAX;
  }

  /** Adds "`path` message." */
  #add(path: string, message: string): void {
    const name = path === '' ? `The ${this.#what}` : `\`${path}\``;
    this.problems.push({ param: path === '' ? null : path, message: `${name} ${message}.` });
  }

  value(schema: Schema, value: unknown, path: string): void {
    const before = this.problems.length;
    this.#shape(schema, value, path);
    if (schema.rule === undefined || this.problems.length > before) return;
    this.problems.push(...schema.rule(value as never, path));
  }

  #shape(schema: Schema, value: unknown, path: string): void {
    if (this.#isFull) return;
    if (schema.anyOf !== undefined) return this.#union(schema.anyOf, value, path);
    const message = mismatch(schema, value);
    if (message !== undefined) return this.#add(path, message);
    if (typeof value === 'string') return this.#addAll(path, [textProblem(schema, value)]);
    if (typeof value === 'number') return this.#addAll(path, numberProblems(schema, value));
    if (Array.isArray(value)) return this.#list(schema, value, path);
    if (typeof value === 'object' && value !== null) this.#object(schema, value, path);
  }

  #addAll(path: string, messages: readonly (string | undefined)[]): void {
    for (const message of messages) if (message !== undefined) this.#add(path, message);
  }

  #list(
    { items, minItems, maxItems = Number.POSITIVE_INFINITY }: Schema,
    list: readonly unknown[],
    path: string,
  ): void {
    this.#addAll(path, countProblems(list.length, 'entries', { min: minItems, max: maxItems }));
    if (items === undefined) return;
    // Entries past the limit are too many anyway.
    const end = Math.min(list.length, maxItems);
    for (let i = 0; i < end && !this.#isFull; i++) this.value(items, list[i], pathTo(path, i));
  }

  /** The branch that the value comes nearest to explains it: by type first, then the one with the fewest problems. */
  #union(branches: readonly Schema[], value: unknown, path: string): void {
    const ofType = branches.filter((branch) => branch.type === undefined || isOfType(branch.type, value));
    const mark = findDiscriminator(ofType);
    const given = mark === undefined ? undefined : value?.[mark as never];
    const fitting = mark === undefined ? ofType : ofType.filter((branch) => markedAs(branch, mark) === given);
    if (mark !== undefined && fitting.length === 0) {
      const known = new Set(ofType.map((branch) => markedAs(branch, mark)));
      return this.value({ enum: [...known] }, given, pathTo(path, mark));
    }
    let best: Problem[] | undefined;
    for (const branch of fitting) {
      const walk = new Walk(this.#what);
      walk.value(branch, value, path);
      if (walk.problems.length === 0) return;
      if (best === undefined || walk.problems.length < best.length) best = walk.problems;
    }
    if (best !== undefined) this.problems.push(...best);
    else if (value === undefined) this.#add(path, 'is required');
    else {
      const kinds = branches.map((branch) => ARTICLE[branch.type ?? ''] ?? 'another value');
      this.#add(path, `must be ${[...new Set(kinds)].join(' or ')}`);
    }
  }

  #object(schema: Schema, value: object, path: string): void {
    const keys = Object.keys(value);
    const unknown = unknownKeys(schema, keys);
    const named = nearestNames(unknown.slice(0, UNKNOWN_MAX), schema);
    // First: a misspelled field also leaves a required one missing, and the spelling is the mistake.
    for (const [key, near] of named) if (near !== undefined) this.#unknownField(schema, pathTo(path, key), key, near);
    for (const key of schema.required ?? [])
      if (!Object.hasOwn(value, key)) this.#add(pathTo(path, key), 'is required');
    this.#oneRequired(schema, value, path);
    this.#addAll(path, sizeProblems(schema, keys.length));
    for (const key of keys.slice(0, schema.maxProperties)) {
      if (this.#isFull) return;
      const param = pathTo(path, key);
      const known = fieldSchema(schema, key);
      if (known !== undefined) {
        this.#keyName(schema, param, key);
        this.value(known, value[key as never], param);
      } else if (named.has(key) && named.get(key) === undefined) this.#unknownField(schema, param, key, undefined);
    }
    this.#moreUnknown(unknown.length - UNKNOWN_MAX, path);
  }

  #oneRequired({ oneRequired }: Schema, value: object, path: string): void {
    if (oneRequired === undefined || oneRequired.some((key) => Object.hasOwn(value, key))) return;
    const [first, other] = oneRequired;
    this.#add(pathTo(path, first), `is required, or \`${other}\``);
  }

  #moreUnknown(more: number, path: string): void {
    if (more === 1) this.#add(path, `has 1 more unknown ${this.#field}; remove it`);
    else if (more > 1) this.#add(path, `has ${more} more unknown ${this.#field}s; remove them`);
  }

  get #field(): string {
    return this.#what === 'query' ? 'query parameter' : 'field';
  }

  #unknownField({ fixed = [] }: Schema, param: string, key: string, near: string | undefined): void {
    const advice = near === undefined ? 'remove it.' : `did you mean \`${near}\`?`;
    const message = fixed.includes(key)
      ? `\`${param}\` cannot be changed; leave it out.`
      : `Unknown ${this.#field} \`${param}\`; ${advice}`;
    this.problems.push({ param, message });
  }

  #keyName({ propertyNames }: Schema, param: string, key: string): void {
    if (propertyNames === undefined) return;
    const { minLength, maxLength } = propertyNames;
    const length = countCharacters(key);
    if (length >= minLength && length <= maxLength) return;
    this.problems.push({ param, message: `The key \`${param}\` must have ${minLength} to ${maxLength} characters.` });
  }
}

/** Returns the field that distinguishes the branches, such as `kind`: each requires it, with a value of its own. */
function findDiscriminator(branches: readonly Schema[]): string | undefined {
  if (branches.length < 2) return undefined;
  return branches[0]?.required?.find((key) =>
    branches.every((branch) => branch.required?.includes(key) === true && markedAs(branch, key) !== undefined),
  );
}

const markedAs = ({ properties }: Schema, mark: string): unknown => properties?.[mark]?.const;

/** Why the value is not one of an enum, the constant, or of the type; undefined if it is. */
function mismatch(schema: Schema, value: unknown): string | undefined {
  if (schema.enum !== undefined) {
    if (schema.enum.includes(value)) return undefined;
    return value === undefined
      ? 'is required'
      : `must be one of ${schema.enum.map(String).join(', ')}${hint(value, schema.enum)}`;
  }
  if (schema.const !== undefined) return value === schema.const ? undefined : `must be ${JSON.stringify(schema.const)}`;
  if (schema.type === undefined || isOfType(schema.type, value)) return undefined;
  return value === undefined ? 'is required' : `must be ${ARTICLE[schema.type] ?? schema.type}`;
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

const hint = (value: unknown, known: Iterable<unknown>): string => {
  const near = typeof value === 'string' ? nearest(value, Array.from(known, String)) : undefined;
  return near === undefined ? '' : ` (nearest: ${near})`;
};

/** The schema of every field that `properties` does not name. */
const patternSchema = ({ patternProperties = {} }: Schema): Schema | undefined => Object.values(patternProperties)[0];

const fieldSchema = (schema: Schema, key: string): Schema | undefined =>
  Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : patternSchema(schema);

function unknownKeys(schema: Schema, keys: readonly string[]): string[] {
  if (schema.additionalProperties !== false || patternSchema(schema) !== undefined) return [];
  return keys.filter((key) => !Object.hasOwn(schema.properties ?? {}, key));
}

/** The known name that each unknown one is nearest to, if any is near. */
const nearestNames = (unknown: readonly string[], { properties = {} }: Schema): Map<string, string | undefined> =>
  new Map(unknown.map((key) => [key, nearest(key, Object.keys(properties))]));

function sizeProblems({ properties = {}, minProperties = 0, maxProperties }: Schema, size: number): string[] {
  const tooMany = countProblems(size, 'keys', { max: maxProperties });
  if (size >= minProperties) return tooMany;
  const names = Object.keys(properties).join(', ');
  return [names === '' ? 'must not be empty' : `is empty; give at least one of ${names}`, ...tooMany];
}

function textProblem(schema: Schema, value: string): string | undefined {
  const length = countCharacters(value);
  if (schema.minLength !== undefined && length < schema.minLength) {
    return schema.minLength === 1 ? 'must not be empty' : `must have at least ${schema.minLength} characters`;
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return `must have at most ${schema.maxLength} characters, not ${length}`;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    return schema.expected ?? `must match ${schema.pattern}`;
  }
  return schema.format === undefined ? undefined : formatProblem(schema.format, value, schema.expected);
}

function formatProblem(name: string, value: string, expected: string | undefined): string | undefined {
  const format = findFormat(name);
  if (format === undefined || format.test(value)) return undefined;
  return expected ?? format.expected + hint(value, format.known?.() ?? []);
}

const numberProblems = ({ minimum, maximum }: Schema, value: number): string[] => [
  ...(minimum !== undefined && value < minimum ? [`must be at least ${minimum}`] : []),
  ...(maximum !== undefined && value > maximum ? [`must be at most ${maximum}`] : []),
];

interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

function countProblems(count: number, noun: string, { min = 0, max = Number.POSITIVE_INFINITY }: Bounds): string[] {
  if (count < min) return [min === 1 ? 'must not be empty' : `must have at least ${min} ${noun}`];
  return count > max ? [`must have at most ${max} ${noun}, not ${count}`] : [];
}
