/** Texts by which rules and their conditions are compared. */

/** Returns JSON with sorted keys: equal for values that differ only in the order of their keys. */
export function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // In one go: long lists of texts are most of a large policy.
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  return objectJson(value, sortedJson);
}

/**
 * Returns JSON that is equal for conditions written differently: keys and lists are sorted, a single text is a list. It
 * identifies stored limits, so changing it resets them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).toSorted().join()}]`;
  return objectJson(value, (one) => canonicalJson(typeof one === 'string' ? [one] : one));
}

function objectJson(value: object, toJson: (value: unknown) => string): string {
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${toJson(one)}`).join()}}`;
}
