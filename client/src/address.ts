/** The path and query of a request, encoded. */

/** Fills every `{name}` of a path. Throws TypeError for a value that a path cannot carry. */
export const fillPath = (template: string, valueOf: (name: string) => unknown): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathPart(name, valueOf(name)));

/** Refuses empty text, and dots alone, which every URL parser resolves to another path. */
function pathPart(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') throw new TypeError(`\`${name}\` must be a non-empty string`);
  if (text === '.' || text === '..')
    throw new TypeError(`\`${name}\` cannot be "${text}" in a path; find its id in the list`);
  return encodeURIComponent(text);
}

/** `?a=1&b=2`, or nothing where every value is undefined. */
export function queryText(query: object | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}
