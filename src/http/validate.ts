/** Bodies and queries against their schemas: a compiled yes or no for every request, words only for a no. */
import type { FastifySchemaCompiler } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { invalid, type Problem } from '../errors.ts';
import './formats.ts';
import { uncarriedIn } from './json.ts';
import { problemsOf, type Schema } from './problems.ts';

/** For routes that take no query: what is sent all the same is a mistake, not to be passed over. */
export const NoQuery = Type.Object({}, { additionalProperties: false });

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const compiled = Compile(schema);
  if (httpPart === 'querystring') {
    return (query: Record<string, unknown>) => {
      const { value, problems } = fromText(schema, query);
      if (problems.length === 0 && compiled.Check(value)) return { value };
      const [first, ...rest] = problems;
      return { error: invalid(first === undefined ? problemsOf(schema, value, 'query') : [first, ...rest]) };
    };
  }
  const { itemsApart } = schema as Schema;
  return (value: unknown) => {
    const problem = uncarriedIn(itemsApart === undefined ? value : without(value, itemsApart));
    if (problem !== undefined) return { error: invalid([problem]) };
    return compiled.Check(value) ? { value } : { error: invalid(problemsOf(schema, value, 'body')) };
  };
};

/** A query carries text only: numbers and booleans are read from it as its schema says, strictly. */
function fromText(schema: Schema, query: Record<string, unknown>): { value: unknown; problems: Problem[] } {
  // Without a prototype: a parameter may be called `__proto__`.
  const value = Object.create(null) as Record<string, unknown>;
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(query)) {
    const type = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name]?.type : undefined;
    if (typeof text !== 'string') {
      problems.push({ param: name, message: `\`${name}\` is given more than once; give it once.` });
    } else if (!text.isWellFormed() || text.includes('\0') || text.includes('\ufffd')) {
      problems.push({ param: name, message: `\`${name}\` is not valid UTF-8 text.` });
    } else if (type === 'integer' && /^-?\d{1,15}$/.test(text)) value[name] = Number(text);
    else if (type === 'boolean' && (text === 'true' || text === 'false')) value[name] = text === 'true';
    else value[name] = text;
  }
  return { value, problems };
}

/** One entry of a list whose entries stand for themselves. Throws invalid_request. */
export function validItem<S extends TSchema>(
  schema: S,
  compiled: Validator<{}, S>,
  item: unknown,
  what: string,
): Static<S> {
  const problem = uncarriedIn(item);
  if (problem !== undefined) throw invalid([problem]);
  if (compiled.Check(item)) return item;
  throw invalid(problemsOf(schema, item, what));
}

/** A body without the list whose entries are looked at one by one. */
function without(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [field]: null };
}
