/**
 * Prints docs/conditions.md from the table in src/policies/conditions.ts. A test holds the file to it:
 * `npm exec -- node scripts/conditions-doc.ts > docs/conditions.md`
 */
import { CONDITION_SCHEMAS, CONDITIONS, type Condition } from '../src/policies/conditions.ts';

const HEAD = `# Conditions

<!-- Written by scripts/conditions-doc.ts from src/policies/conditions.ts; edit those. -->

A rule decides when **all** its conditions hold. A rule without conditions always decides. A list of values means *any of
them*; it may have up to 1,000. Texts are compared byte for byte, capitals included, but for \`userAgent\`.

A key that is not in this table is refused with \`invalid_request\`, and the message names the nearest one there is. Values
are never read as patterns.

| key | holds when | example | negation |
|---|---|---|---|
`;

const FOOT = `
## Negations

A key with the suffix \`Not\` takes the same values and asks for the opposite: \`"countryNot": ["DE", "AT"]\`.

## What a check does not say

A check need not name a purpose, a country, an address or a user agent, and may be anonymous. What it does not say never
widens access:

- A condition without \`Not\` does not hold.
- A \`…Not\` condition holds in a deny rule and does not hold in an allow rule.

So \`{"action": "deny", "conditions": {"countryNot": "DE"}}\` denies a check without a country, and
\`{"action": "allow", "conditions": {"purposeNot": "training"}}\` does not allow a check without a purpose. An item or a
registered requester without tags is known to have none: the \`…Not\` condition holds. Of a requester that nobody registered,
type, tags and metadata are not known. A metadata condition is unknown as soon as a key it names is absent.

## Licences

- A licence is valid when it is active, within its time, and covers the item: see [requesters and licences](requesters.md).
  One that the check vouches for counts like a stored one.
- The licence keys of one rule must all be met by the *same* valid licence.
- Their negations ask *all* valid licences: none may meet the positive. Without any valid licence the rule above applies.
- \`hasValidLicense: false\` beside a licence key without \`Not\` never holds.
`;

export function conditionsDoc(): string {
  const rows = Object.entries<Condition>(CONDITIONS).map(([key, { doc, example }]) => {
    const negation = Object.hasOwn(CONDITION_SCHEMAS, `${key}Not`) ? `\`${key}Not\`` : 'none';
    return `| \`${key}\` | ${doc} | \`${JSON.stringify(example)}\` | ${negation} |\n`;
  });
  return HEAD + rows.join('') + FOOT;
}

if (import.meta.main) process.stdout.write(conditionsDoc());
