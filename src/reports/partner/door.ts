/**
 * Finds the partner of a request by its token. Promise: a token that was revoked or expired, or whose requester was
 * suspended, is refused from the next request on this node, and within a second on the others, as API keys are.
 */

import { type Failure, fail } from '../../api/errors.ts';
import type { AuthenticatePartner } from '../../api/http/auth.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import type { TokenFault, Tokens } from '../../requesters/tokens/tokens.ts';

export interface DoorDeps {
  tokens: Pick<Tokens, 'resolve'>;
  snapshot: Pick<Snapshot, 'findRequester'>;
  /** Settles when this node knows all changes; undefined where it does. */
  confirm(): Promise<unknown> | undefined;
}

const NO_PERMISSIONS: ReadonlySet<string> = new Set();

export const openPartnerDoor =
  ({ tokens, snapshot, confirm }: DoorDeps): AuthenticatePartner =>
  async (credentials) => {
    const text = parseHeader(credentials);
    await confirm();
    const presented = await tokens.resolve(text);
    if ('fault' in presented) throw refused(text, presented.fault);
    const { requesterId, tokenId } = presented;
    const { facts } = await snapshot.findRequester(requesterId);
    if (facts === null) throw refused(text, 'unknown');
    if (facts.suspended) {
      throw fail('requester_suspended', 'The publisher has suspended your access. Ask the publisher why.');
    }
    return { keyId: tokenId, requesterId, credential: text, permissions: NO_PERMISSIONS, readOnly: true, mode: 'live' };
  };

function parseHeader(credentials: string | undefined): string {
  const text = /^bearer +(\S.*)$/i.exec(credentials ?? '')?.[1]?.trimEnd();
  if (text !== undefined) return text;
  const message = 'Send the token of a requester in the header `Authorization: Bearer svc_rt_…`.';
  throw fail('missing_requester_token', message);
}

const FAULTS: Readonly<Record<TokenFault, string>> = {
  malformed: 'This is not the token of a requester: its form or checksum is wrong. Check that it was copied whole.',
  unknown: 'This token does not exist. Check that it was copied whole.',
  revoked: 'This token was revoked. Ask the publisher for a new one.',
  expired: 'This token has expired. Ask the publisher for a new one.',
};

const KEY = /^svc_[sp]k_/;

function refused(text: string, fault: TokenFault): Failure {
  if (!KEY.test(text)) return fail('invalid_requester_token', FAULTS[fault]);
  const advice = 'Create a token with POST /v1/requesters/{id}/tokens, or use the operations for keys.';
  return fail('invalid_requester_token', `This is an API key; /v1/me takes the token of a requester. ${advice}`);
}
