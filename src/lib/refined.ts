/** Schemas with a rule that JSON Schema cannot express. */
import { type Static, type TSchema, Type } from 'typebox';

/** A rule that a value breaks: the path of the field, and a sentence that names it. */
export interface Problem {
  /** null: the whole body or query. */
  param: string | null;
  message: string;
}

/** Returns what a value of the right shape breaks; `path` is its own, and begins the paths of its fields. */
export type Refinement<V> = (value: V, path: string) => readonly Problem[];

/** Returns the schema with the rule; values that break it do not match. */
export const refined = <S extends TSchema>(schema: S, rule: Refinement<Static<S>>): S =>
  Object.assign(
    Type.Refine(schema, (value: Static<S>) => rule(value, '').length === 0),
    { rule },
  );

/** Returns the path of a field, such as `terms.tiers`. */
export const fieldPath = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
