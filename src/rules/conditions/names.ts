/** The words that checks, rules and records share, as schemas. `expected` completes "`field` …" in an error. */
import { Type } from 'typebox';
import { CONTENT_TYPES } from '../content-types.ts';

export const ContentTypeName = Type.Enum([...CONTENT_TYPES], { title: 'ContentType' });

export const PermissionName = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,63}$',
  description: '1–64 lowercase letters, digits or underscores; starts with a letter',
  expected: 'must start with a lowercase letter and have at most 64 lowercase letters, digits or underscores',
});

export const REQUESTER_ID_PATTERN = '^[A-Za-z0-9._:@/-]{1,128}$';
export const RequesterId = Type.String({
  pattern: REQUESTER_ID_PATTERN,
  description: '1–128 letters, digits or . _ : @ / -',
  expected: 'must have 1 to 128 letters, digits or . _ : @ / -',
});

/** A purpose of a check. On statements, `*` stands for several. */
export const Purpose = Type.String({
  pattern: '^(?!\\*$)',
  minLength: 1,
  maxLength: 64,
  description: 'The purpose in your own words: 1–64 characters, and not `*`',
  expected: 'must have 1 to 64 characters, and must not be `*`, which stands for several purposes on statements',
});

/** A method of HTTP, as a visitor's request has it (RFC 9110, 5.6.2). */
export const METHOD_PATTERN = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}$";
export const Method = Type.String({
  pattern: METHOD_PATTERN,
  description: 'The method of the original request, such as GET: kept with the inputs, never decides',
  expected: 'must be a method of HTTP with at most 32 characters, such as GET or HEAD',
});

export const CountryCode = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'An ISO 3166 alpha-2 code in capitals',
  expected: 'must be an ISO 3166 alpha-2 code in capitals',
});
