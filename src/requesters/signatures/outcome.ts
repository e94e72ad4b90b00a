/** Outcomes of verifying the signatures of a request. */

/** Why a signature in an agent's name is wrong. */
export type Fault =
  | 'input_unreadable'
  | 'signature_unreadable'
  | 'parameter_missing'
  | 'target_not_covered'
  | 'agent_not_covered'
  | 'agent_ambiguous'
  | 'agent_missing'
  | 'component_repeated'
  | 'component_missing'
  | 'created_in_future'
  | 'expired'
  | 'wrong_algorithm'
  | 'wrong_signature';

/** Why nothing can be said about a signature. */
export type Doubt = 'component_unsupported' | 'keys_not_fetched' | 'keys_stale' | 'key_unknown';

/**
 * `none`: no signature in the name of a permitted agent. `unknown`: one that cannot be judged now, which proves
 * nothing and accuses of nothing. `failed`: one that is wrong, so the agent did not sign this request.
 */
export type SignatureOutcome =
  | { outcome: 'none' }
  | { outcome: 'unknown'; agent: string; why: Doubt }
  | { outcome: 'failed'; agent: string; why: Fault }
  | { outcome: 'verified'; agent: string };
