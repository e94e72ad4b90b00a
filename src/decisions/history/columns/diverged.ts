/** Reasons to count the columns again from nothing. */

/** The columns do not match the records: another ledger's, or the records were restored to an earlier state. */
export class Diverged extends Error {}

/** Counted decisions are missing in the records; only the columns know of them. */
export class DecisionsLost extends Diverged {}
