/** Describes what decided: a rule, a default, or a status. */

interface Decided {
  reason: string | null;
  matchedRule: { index: number } | null;
}

/** An archived item and a suspended requester are denied before any rule is evaluated. */
const BEFORE_RULES: Record<string, string> = {
  content_archived: 'the item is archived',
  requester_suspended: 'the requester is suspended',
};

export function decidedBy({ reason, matchedRule }: Decided): string {
  if (matchedRule !== null) return `rule ${matchedRule.index + 1}`;
  return BEFORE_RULES[reason ?? ''] ?? 'no rule matched';
}
