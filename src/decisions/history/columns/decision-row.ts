/** A decision as the columns read it. */

/** The inputs of a retired decision. */
export const NO_INPUTS = '{"reduced":["context"]}';

/** An array: half the time of an object. */
export type DecisionRow = [
  seq: number,
  at: number,
  contentNo: number,
  requesterId: string | null,
  policyNo: number,
  reason: number,
  purpose: string | null,
  permission: string | null,
  collectionId: string | null,
  crawler: string | null,
  licenseId: string | null,
  claimed: string | null,
  /** 0: not verified. */
  verified: number,
  enforced: number,
  policyVersion: number,
  /** -1: the default action. */
  ruleIndex: number,
  wanted: string | null,
  /** The decision of the policy's candidate, see decisions/ledger/codes. */
  candidate: string | null,
  url: string | null,
  file: string | null,
  /** JSON, see decisions/ledger/inputs. */
  inputs: string | null,
];
