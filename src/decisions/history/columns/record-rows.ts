/** Rows of the records that the columns read beside decisions. */

export interface ContentRow {
  no: number;
  id: string;
  type: string;
}

/** A registered requester; `tags` as JSON. */
export interface RequesterRow {
  id: string;
  name: string;
  type: string | null;
  status: string;
  tags: string;
}

/** An edit of an item or a requester; the record itself is read separately. */
export interface RecordChange {
  seq: number;
  at: number;
  /** null: an edit of a requester. */
  contentNo: number | null;
  objectId: string;
}

/** An archive file: decisions up to `toSeq`, after those of the previous file. */
export interface ArchivedFile {
  toSeq: number;
  file: string;
}

export interface Head {
  /** Identifies the ledger; null before it was first opened. */
  ledgerNo: string | null;
  /** Sequence numbers of the newest decision and change; 0: none. */
  decisionsSeq: number;
  /** No more decisions will be added up to this number. */
  settledSeq: number;
  changesSeq: number;
  /** The oldest change in the log; 0: none. */
  changesFromSeq: number;
  /** Decisions up to this number left the log for the daily counts; 0: none. */
  retiredTo: number;
  /** The inputs of decisions up to this number were erased; 0: none. */
  inputsErasedTo: number;
  /** 1: more decisions are about to leave it. */
  retiring: number;
  /** The newest erasure that the columns are to follow; 0: none. */
  erasedNo: number;
}
