/** The decision log for public keys, which anybody may have: nothing of visitors, and no names of partners. */
import type { LoggedDecision } from '../log/log.ts';

/** Removes the requester and the inputs. The crawler stays: its name is no partner's. */
export function withoutVisitor<D extends LoggedDecision>(decision: D): D {
  const { claimed: _, reduced: __, ...shown } = decision;
  return { ...shown, requesterId: null, context: null, license: null } as D;
}
