/** Groups and orders of the lists, for the wire and for SQL: the usage report's first. */
export const DIMENSIONS = [
  'collection',
  'crawler',
  'program',
  'page',
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

/** Proofs of the name of a crawler that has no requester. */
export const PROOFS = ['none', 'verified', 'spoofed'] as const;
export type Proof = (typeof PROOFS)[number];

/** Orders of the list of programs. */
export const PROGRAM_SORTS = ['requests', 'pages', 'lastSeen', 'firstSeen'] as const;
export type ProgramSort = (typeof PROGRAM_SORTS)[number];

/** Orders of the list of requesters. */
export const SEEN_SORTS = ['requests', 'denied', 'lastSeen'] as const;
export type SeenSort = (typeof SEEN_SORTS)[number];

/** Orders of denied demand. */
export const DEMAND_SORTS = ['denied', 'change', 'lastSeen'] as const;
export type DemandSort = (typeof DEMAND_SORTS)[number];

export const DEMAND_DIMENSIONS = ['requester', 'who', 'crawler', 'collection', 'purpose', 'licenseType'] as const;
export type DemandDimension = (typeof DEMAND_DIMENSIONS)[number];

/** Equal parts of the span in a trend. */
export const TREND_PARTS = 12;

/** Separates the parts of a row's id. */
export const SEPARATOR = '\u001f';
