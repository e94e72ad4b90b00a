/** The filter of the log and of usage by a rule: its policy, version and index in one text. */
import type { Db } from '../../db/db.ts';
import { findPolicyNo } from '../../policies/store.ts';
import type { RuleFilter } from '../history/filter.ts';

const DEFAULT_ACTION = 'default';

/** Such as `pol_default/3/0`. */
export const RULE_PATTERN = `^[A-Za-z0-9_]{1,64}/[1-9]\\d{0,8}/(?:\\d{1,3}|${DEFAULT_ACTION})$`;

/** Reads a text of the pattern. Returns undefined for a policy that never existed. */
export async function findRule(db: Db, text: string): Promise<RuleFilter | undefined> {
  const [policyId = '', version, index] = text.split('/');
  const policyNo = await findPolicyNo(db, policyId);
  if (policyNo === undefined) return undefined;
  return { policyNo, version: Number(version), index: index === DEFAULT_ACTION ? null : Number(index) };
}
