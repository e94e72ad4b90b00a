/** The values that a report can be grouped by, for the wire and for SQL. */
export const DIMENSIONS = [
  'collection',
  'crawler',
  'verified',
  'license',
  'purpose',
  'permission',
  'rule',
  'enforced',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const isDimension = (text: string | undefined): text is Dimension =>
  (DIMENSIONS as readonly (string | undefined)[]).includes(text);
