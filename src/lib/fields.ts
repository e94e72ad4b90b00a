/** The fields of a record, each said once: its schema and, where a registration may omit it, its first value. */
import { type Static, type TSchema, Type } from 'typebox';

/** A field that a registration may omit. */
export const optional = <S extends TSchema>(schema: S, first: Static<S>) => ({ schema, first });

type OptionalFields = Record<string, { schema: TSchema; first: unknown }>;

export const schemas = <F extends OptionalFields>(fields: F) => pickColumn(fields, 'schema');
export const firstValues = <F extends OptionalFields>(fields: F) => pickColumn(fields, 'first');

const pickColumn = <F extends OptionalFields, K extends 'schema' | 'first'>(fields: F, key: K) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[key]])) as { [N in keyof F]: F[N][K] };

/** The same properties, each of which may be absent. */
export const partial = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Partial(Type.Object(properties)).properties;

/** The values of `record` that `fields` names, in the order of `fields`. */
export const pick = <R extends object, F extends object>(record: R, fields: F): Pick<R, keyof F & keyof R> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, record[name as keyof R]])) as Pick<R, keyof F & keyof R>;
