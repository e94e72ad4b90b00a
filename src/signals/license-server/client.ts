/** Finds the requester behind a request for a token: HTTP Basic with its id and one of its tokens. */
import { OAuthError } from '../../api/oauth-error.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import type { Tokens } from '../../requesters/tokens/tokens.ts';

export interface ClientDeps {
  tokens: Pick<Tokens, 'resolve'>;
  snapshot: Pick<Snapshot, 'findRequester'>;
  /** Settles when this node knows all changes; undefined where it does. */
  confirm(): Promise<unknown> | undefined;
}

/** Throws OAuthError, the same for every reason: a stranger learns of no requester. */
export async function findClient(deps: ClientDeps, authorization: string | undefined) {
  const [id, secret] = readBasic(authorization);
  await deps.confirm();
  const presented = await deps.tokens.resolve(secret);
  if ('fault' in presented || presented.requesterId !== id) throw refused();
  const known = await deps.snapshot.findRequester(id);
  if (known.facts === null) throw refused();
  if (known.facts.suspended) {
    throw new OAuthError(400, 'unauthorized_client', 'The publisher has suspended this requester.');
  }
  return { requesterId: id, tokenId: presented.tokenId, until: presented.until, known };
}

/** RFC 6749, 2.3.1: both are encoded as in a form. Many clients leave that out, which ids and tokens survive. */
function readBasic(authorization = ''): [id: string, secret: string] {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString();
  const end = text.lastIndexOf(':');
  if (end < 1) throw refused();
  try {
    return [decodeURIComponent(text.slice(0, end)), decodeURIComponent(text.slice(end + 1))];
  } catch {
    throw refused();
  }
}

const refused = (): OAuthError =>
  new OAuthError(401, 'invalid_client', 'Send the id of a requester and one of its valid tokens by HTTP Basic.', {
    'www-authenticate': 'Basic realm="olp"',
  });
