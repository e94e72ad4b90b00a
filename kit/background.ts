/**
 * Background work that fails begins anew, and no answer shows it. So a test whose service logged such a failure
 * fails, unless it provokes it.
 */
import assert from 'node:assert/strict';

/** Returns whether a line of the log is about a failure. */
export const isFailedWork = (line: string): boolean => line.includes(' and will be retried');

/** Throws with the first line about work that failed. */
export function assertBackgroundWorked(log: string): void {
  const [first, ...others] = log.split('\n').filter(isFailedWork);
  const how = 'a test that provokes this sets housekeepingMayFail';
  assert.equal(first, undefined, `background work failed ${others.length + 1} times (${how}): ${first}`);
}
