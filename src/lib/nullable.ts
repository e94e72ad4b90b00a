/** Schemas of values that may be null. */
import { type TSchema, Type } from 'typebox';

export const orNull = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const textOrNull = (description?: string) => orNull(Type.String(), description);
