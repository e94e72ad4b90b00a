/** The value of a field of each record; of several fields, a list of them for each record. */
export const pluck = <R extends readonly any[]>(
  records: R,
  first: keyof R[number],
  ...more: (keyof R[number])[]
): unknown[] =>
  records.map((record) => (more.length === 0 ? record[first] : [first, ...more].map((name) => record[name])));
