/** The values with which the editor adds conditions. */
import type { ConditionRow } from './condition-table.ts';

/** Returns the initial value of a new condition. */
export function initialValue({ kind, key }: ConditionRow): unknown {
  if (kind === 'flag') return key === 'default' || key === 'crawlerVerified';
  if (kind === 'verified') return true;
  if (kind === 'expiry') return { after: 'now' };
  if (kind === 'time') return { days: ['mon', 'tue', 'wed', 'thu', 'fri'] };
  return kind === 'metadata' ? {} : [];
}
