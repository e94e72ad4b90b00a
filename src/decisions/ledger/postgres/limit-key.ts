/** A limit's key as PostgreSQL stores it: its text cannot hold NUL. Distinct keys stay distinct. */
export const toStoredKey = (key: string): string =>
  key.replaceAll(/[\\\0]/g, (character) => (character === '\0' ? '\\0' : '\\\\'));
