/** A limit's key as PostgreSQL keeps it: its text holds everything but NUL, which separates the parts of a key. */
export const toStoredKey = (key: string): string =>
  key.replaceAll(/[\\\0]/g, (character) => (character === '\0' ? '\\0' : '\\\\'));
