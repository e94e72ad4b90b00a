/**
 * The number of whom a decision is about: its requester; without one, the crawler that the user agent names, apart by
 * the proof of its name; without one, its program. 0: the user agent was not kept.
 */
import { BROWSERS, NO_USER_AGENT } from '../../../rules/crawlers/program.ts';
import { PROOFS, type Proof } from './dimensions.ts';
import { namedSql, OTHER } from './programs.ts';

export type CountedWho =
  | { kind: 'requester'; id: string }
  | { kind: 'crawler'; id: string; proof: Proof }
  | { kind: 'program'; id: string }
  | { kind: 'browsers' | 'no_user_agent' | 'unknown'; id: null };

/** Programs have numbers above it, and requesters below. */
const PROGRAMS = 2 ** 32;

/** Negative numbers are crawlers'. */
const whoSql = (program: string): string => `case when requester <> 0 then requester
  when crawler <> 0 then -(crawler * ${PROOFS.length} + case when claimed <> 0 then 2 when verified <> 0 then 1 else 0 end)
  when program = 0 then 0 else ${PROGRAMS} + ${program} end`;

export const WHO = whoSql(namedSql('program'));
/** The same with a number for each program without a name: for less than the time of looking each of them up. */
export const EACH_WHO = whoSql('program');
/** Makes one of these numbers one of `WHO`. */
export const foldWho = (each: string): string =>
  `case when ${each} <= ${PROGRAMS} then ${each} else ${PROGRAMS} + ${namedSql(`(${each} - ${PROGRAMS})`)} end`;
/** The number of programs without a name. */
export const OTHER_WHO = PROGRAMS + OTHER;

/** The texts of these numbers: a kind and a name, with a space in between. */
export const WHO_TEXTS = `(select number, 'requester ' || id as id from requesters union all
  ${PROOFS.map((_, proof) => `select -(number * ${PROOFS.length} + ${proof}), 'crawler${proof} ' || id from crawlers`).join(' union all ')}
  union all select ${PROGRAMS} + number, 'program ' || id from programs)`;

/** The name in one of these texts, as SQL. */
export const nameSql = (sql: string): string => `substr(${sql}, position(' ' in ${sql}) + 1)`;

/** The id of a requester in one of these texts, as SQL; null: of another kind. */
export const requesterSql = (sql: string | undefined): string | undefined =>
  sql && `case when startsWith(${sql}, 'requester ') then ${nameSql(sql)} end`;

/** Reads one of these texts; null: of the number 0. */
export function toVisitor(text: string | null): CountedWho {
  const [, kind, proof, id = ''] = /^(requester|crawler|program)(\d?) (.*)$/s.exec(text ?? '') ?? [];
  if (kind === 'requester') return { kind, id };
  if (kind === 'crawler') return { kind, id, proof: PROOFS[Number(proof)] ?? 'none' };
  if (kind !== 'program') return { kind: 'unknown', id: null };
  if (id === BROWSERS) return { kind: 'browsers', id: null };
  return id === NO_USER_AGENT ? { kind: 'no_user_agent', id: null } : { kind, id };
}
