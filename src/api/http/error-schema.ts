/** Errors on the wire. */
import { Type } from 'typebox';
import { textOrNull } from '../../lib/nullable.ts';
import { ERRORS, type ErrorCode, type ErrorType } from '../errors.ts';

export const ErrorCodeName = Type.Enum(Object.keys(ERRORS) as ErrorCode[], { title: 'ErrorCode' });
const types = [...new Set(Object.values(ERRORS).map(({ type }) => type))] as ErrorType[];

const Problem = Type.Object(
  {
    param: textOrNull('Path of the field; null for the whole body'),
    message: Type.String(),
  },
  { title: 'Problem' },
);

/** The fields of an error, apart from the id of the request. */
export const errorProperties = {
  code: ErrorCodeName,
  message: Type.String(),
  type: Type.Enum(types, { title: 'ErrorType' }),
  param: Type.Optional(Type.String({ description: 'The field or parameter that is wrong' })),
  details: Type.Optional(Type.Array(Problem, { description: 'Everything that is wrong' })),
};

export const ErrorAnswer = Type.Object(
  { error: Type.Object({ ...errorProperties, requestId: Type.String() }) },
  { title: 'Error' },
);
