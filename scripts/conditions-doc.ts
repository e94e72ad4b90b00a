/**
 * Prints docs/conditions.md from the table in src/rules/conditions/conditions.ts. A test holds the file to it:
 * `npm exec -- node scripts/conditions-doc.ts > docs/conditions.md`
 */
import type { Condition } from '../src/rules/conditions/condition.ts';
import { CONDITION_SCHEMAS, CONDITIONS } from '../src/rules/conditions/conditions.ts';

const HEAD = `# Conditions

<!-- Written by scripts/conditions-doc.ts from src/rules/conditions/conditions.ts; edit those. -->

A rule decides when **all** its conditions hold. A rule without conditions always decides. A list of values means
*any of them*; it may have up to 1,000. Texts are compared byte for byte, capitals included, but for \`userAgent\` and
\`host\`.

A key that is not in this table is refused with \`invalid_request\`, and the message names the nearest one there is.
Only the values of \`host\` and \`path\` are read as patterns.

| key | holds when | example | negation |
|---|---|---|---|
`;

const FOOT = `
## Negations

A key with the suffix \`Not\` takes the same values and asks for the opposite: \`"countryNot": ["DE", "AT"]\`.

## What a check does not say

A check may leave out a purpose, a country, an address or a user agent, and may be anonymous. A missing fact never
widens access:

- A condition without \`Not\` does not match.
- A \`…Not\` condition matches in a deny rule and does not match in an allow rule.

So \`{"action": "deny", "conditions": {"countryNot": "DE"}}\` denies a check without a country, and
\`{"action": "allow", "conditions": {"purposeNot": "training"}}\` does not allow a check without a purpose. An item or a
registered requester without tags has no tags, which is known: the \`…Not\` condition matches. An unregistered requester
has unknown type, tags and metadata. A condition on metadata or attributes is unknown when one of its keys is
absent.

A check by URL may find no item: then id, type, tags and metadata of the item are unknown. Its collection is always
known, also that it is in none. A user agent that names no crawler is known to name none; without a user agent, the
crawler is unknown. An empty user agent says as much as none. \`requesterVerified\` is always known: without a requester,
it is \`false\`. Where no crawler is named, neither value of \`crawlerVerified\` holds.

An address may also be one that [cannot be read](enforce/README.md#addresses). Then every deny rule with \`ip\` or
\`ipNot\` matches, and no allow rule with them does.

## Hosts and paths

A check by \`url\` has the host and path of that URL, a check by \`contentId\` those of the item’s \`source\`. All
spellings of a URL match the same patterns. If servers may read the path of a \`source\` in different ways (\`//\`,
\`%2F\`), its host and path are unknown. A pattern without \`?\` matches with any query; one
with it names [parameters](collections.md#path-patterns). A URL that servers may read in several ways is decided under
[each reading](checks.md#checks-by-url).

## Licenses

- A license is valid when it is active, within its time, and covers the item: see [requesters and
  licenses](requesters.md). A license that the check vouches for counts like a stored one.
- One valid license must meet all license conditions of a rule.
- Their negations look at *all* valid licenses: none may meet the positive condition. Without a valid license, the
  rule for missing facts applies.
- \`hasValidLicense: false\` beside a license condition without \`Not\` never matches.
`;

export function conditionsDoc(): string {
  const rows = Object.entries<Condition>(CONDITIONS).map(([key, { doc, example }]) => {
    const negation = Object.hasOwn(CONDITION_SCHEMAS, `${key}Not`) ? `\`${key}Not\`` : 'none';
    return `| \`${key}\` | ${doc} | \`${JSON.stringify(example)}\` | ${negation} |\n`;
  });
  return HEAD + rows.join('') + FOOT;
}

if (import.meta.main) process.stdout.write(conditionsDoc());
