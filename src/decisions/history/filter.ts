/** The filters of past decisions, and the finder that all kinds of history are asked through. */
/** Filters by what decisions were based on. */
export interface GroundsFilter {
  collectionId?: string | undefined;
  crawler?: string | undefined;
  /** A code of decisions/ledger/codes, or whether there is one. */
  verified?: number | boolean | undefined;
  licenseId?: string | undefined;
  purpose?: string | undefined;
  permission?: string | undefined;
  enforced?: boolean | undefined;
}

/** A rule of a version of a policy. */
export interface RuleFilter {
  policyNo: number;
  version: number;
  /** null: the default action. */
  index: number | null;
}

/** Filters. `contentNo` and `policyNo` are the store's own numbers. */
export interface DecisionFilter extends GroundsFilter {
  contentNo?: number;
  requesterId?: string;
  /** Not in the log of tests. */
  program?: string;
  policyNo?: number;
  allowed?: boolean;
  /** Code of a reason. */
  reason?: number;
  /** A prefix of host and path. */
  url?: string;
  /** Host and path in the canonical spelling. */
  page?: string;
  /** The same of a folder, without a slash at its end: the page and all below it. */
  pagePrefix?: string;
  rule?: RuleFilter;
  spoofed?: boolean;
  /** Requests of crawlers of the directory. */
  ofCrawlers?: boolean;
  /** Epoch ms, inclusive. */
  from?: number;
  /** Epoch ms, exclusive. */
  to?: number;
}

/** Finds decisions, newest first. Exact: includes everything recorded before the call. */
export interface DecisionFinder {
  find(
    filter: DecisionFilter,
    page: { before: number | null; limit: number },
  ): Promise<{ seqs: number[]; totalCount: number }>;
}

/** A decision to find; with a requester, only if it is about that one. */
export interface DecisionRef {
  id: string;
  requesterId?: string | undefined;
}
