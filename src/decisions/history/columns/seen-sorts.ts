/** The orders of the list of requesters, for the wire and for SQL. */
export const SEEN_SORTS = ['requests', 'denied', 'lastSeen'] as const;
export type SeenSort = (typeof SEEN_SORTS)[number];
