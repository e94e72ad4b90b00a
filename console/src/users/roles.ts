/** The roles that a form offers, from the least to the most. */
import { ROLES as NAMES } from '../../../client/src/generated/vocabularies.ts';

export const ROLES = NAMES;
export type Role = (typeof ROLES)[number];
