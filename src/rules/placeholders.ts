/** Values of templates that the publisher replaces: an example address, and a date far in the future. */

/** If it is never replaced, the items of an embargo stay closed. */
export const RELEASE = '2100-01-01T00:00:00Z';

const PLACEHOLDERS = [
  { text: 'licensing@example.com', what: 'the address licensing@example.com of the template' },
  { text: RELEASE, what: 'the release time of the template, 1 January 2100' },
] as const;

/** Returns a sentence for each rule with a placeholder. Rules are numbered from 1, in the order given. */
export const placeholderWords = (rules: readonly object[]): string[] =>
  rules.flatMap((rule, i) => {
    const text = JSON.stringify(rule);
    const found = PLACEHOLDERS.filter((one) => text.includes(one.text));
    return found.map(({ what }) => `Rule ${i + 1} has ${what}: replace it with yours.`);
  });
