/** The orders of the lists of requesters, for the wire and for SQL. */
export const SEEN_SORTS = ['requests', 'denied', 'lastSeen'] as const;
export type SeenSort = (typeof SEEN_SORTS)[number];

export const DEMAND_SORTS = ['denied', 'change', 'lastSeen'] as const;
export type DemandSort = (typeof DEMAND_SORTS)[number];

/** Equal parts of the span in a trend. */
export const TREND_PARTS = 12;
