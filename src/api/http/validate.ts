/** Validates bodies and queries: a compiled check for every request, explanations only for a failure. */
import type { FastifySchemaCompiler } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import type { Problem } from '../../lib/refined.ts';
import { Failure, invalid } from '../errors.ts';
import './formats.ts';
import { uncarriedIn } from './json.ts';
import { findProblems, type Schema } from './problems.ts';

/** For routes without a query: a parameter sent all the same is an error. */
export const NoQuery = Type.Object({}, { additionalProperties: false });

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = lazyCheck(schema);
  if (httpPart === 'querystring') {
    return (query: Record<string, unknown>) => {
      // Nearly every request to a route without a query.
      if (schema === NoQuery && isEmpty(query)) return { value: query };
      const { value, problems } = fromText(schema, query);
      if (problems.length > 0) return { error: invalid(problems) };
      return check(value) ? { value } : { error: invalid(findProblems(schema, value, 'query')) };
    };
  }
  const { itemsApart } = schema as Schema;
  return (value: unknown) => {
    const uncarried = uncarriedIn(itemsApart === undefined ? value : without(value, itemsApart));
    const problems = check(value) ? uncarried : together(uncarried, findProblems(schema, value, 'body'));
    return problems.length === 0 ? { value } : { error: invalid(problems) };
  };
};

/**
 * Returns the check of a schema, compiled by its first use: compiling all of them takes 90 ms, and most processes use a
 * few.
 */
export function lazyCheck<S extends TSchema>(schema: S): Check<S> {
  let compiled: Validator<S> | undefined;
  return (value): value is Static<S> => {
    compiled ??= Compile(schema);
    return compiled.Check(value);
  };
}

export type Check<S extends TSchema> = (value: unknown) => value is Static<S>;

function isEmpty(query: Record<string, unknown>): boolean {
  for (const _ in query) return false;
  return true;
}

/** Reads numbers and booleans from the text of a query, strictly as its schema says. */
function fromText(schema: Schema, query: Record<string, unknown>): { value: unknown; problems: Problem[] } {
  // Without a prototype: a parameter may be called `__proto__`.
  const value = Object.create(null) as Record<string, unknown>;
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(query)) {
    const type = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name]?.type : undefined;
    if (typeof text !== 'string') {
      problems.push({ param: name, message: `\`${name}\` is given more than once; give it once.` });
    } else if (!text.isWellFormed() || text.includes('\0')) {
      problems.push({ param: name, message: `\`${name}\` is not valid UTF-8 text.` });
    } else value[name] = readText(text, type);
  }
  return { value, problems };
}

/** Text that is not of the type stays text, which the schema then refuses, like numbers beyond its bounds. */
function readText(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,300}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A field that also has a fault by its schema has that alone: it says what is accepted. */
function together(uncarried: readonly Problem[], ofSchema: [Problem, ...Problem[]]): [Problem, ...Problem[]] {
  const named = new Set(ofSchema.map(({ param }) => param));
  return [...uncarried.filter(({ param }) => !named.has(param)), ...ofSchema] as [Problem, ...Problem[]];
}

/** Validates one entry of a list whose entries are independent. Throws invalid_request, or the failure that it is. */
export function validItem<S extends TSchema>(schema: S, check: Check<S>, item: unknown, what: string): Static<S> {
  if (item instanceof Failure) throw item;
  const uncarried = uncarriedIn(item);
  if (!check(item)) throw invalid(together(uncarried, findProblems(schema, item, what)));
  if (uncarried.length > 0) throw invalid(uncarried);
  return item;
}

/** Returns what an entry of such a list makes, or the failure that it is refused with. */
export function caught<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Returns the only entry of such a list. Throws the failure that it is refused with. */
export function onlyOf<T>([one]: readonly (T | Failure)[]): T {
  if (one instanceof Failure) throw one;
  return one as T;
}

/** The body without the list whose entries are validated one by one. */
function without(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [field]: null };
}
