/** The orders and the groups of the demand report, for the wire and for SQL. */
export const DEMAND_SORTS = ['denied', 'change', 'lastSeen'] as const;
export type DemandSort = (typeof DEMAND_SORTS)[number];

/** Equal parts of the span in a trend. */
export const TREND_PARTS = 12;

export const DEMAND_DIMENSIONS = ['requester', 'crawler', 'collection', 'purpose', 'licenseType'] as const;
export type DemandDimension = (typeof DEMAND_DIMENSIONS)[number];
