/** The client for partners: the operations of `/v1/me`, with the token of a requester. */
import { createPostern, type Postern } from './client.ts';
import { isWord } from './edge/attempt.ts';
import type { ConnectionOptions } from './transport.ts';

export interface PartnerOptions extends Omit<ConnectionOptions, 'key' | 'keyHeader'> {
  /** The token that the publisher gave to you: `svc_rt_…`. */
  token: string;
}

export interface Partner {
  me: Postern['getMe'];
  licenses: Postern['listOwnLicenses'];
  licenseUsage: Postern['getOwnLicenseUsage'];
  usage: Postern['getOwnUsage'];
  statements: Postern['listOwnStatements'];
  statement: Postern['getOwnStatement'];
  decisions: Postern['listOwnDecisions'];
  decision: Postern['getOwnDecision'];
  /** Dry runs of up to 1,000 URLs or content ids. */
  access: Postern['checkOwnAccess'];
  content: Postern['listOwnContent'];
  requestLicense: Postern['requestLicense'];
  requests: Postern['listOwnRequests'];
  /** Opens an answer as a file, such as a statement as CSV. */
  open: Postern['open'];
}

/** Throws TypeError for an invalid URL or anything but the token of a requester. */
export function createPartner({ token, ...options }: PartnerOptions): Partner {
  if (!isWord(token) || !token.startsWith('svc_rt_')) {
    throw new TypeError('The token of a requester is needed: `token`, one word that begins with svc_rt_');
  }
  const postern = createPostern({ ...options, key: token });
  return {
    me: postern.getMe,
    licenses: postern.listOwnLicenses,
    licenseUsage: postern.getOwnLicenseUsage,
    usage: postern.getOwnUsage,
    statements: postern.listOwnStatements,
    statement: postern.getOwnStatement,
    decisions: postern.listOwnDecisions,
    decision: postern.getOwnDecision,
    access: postern.checkOwnAccess,
    content: postern.listOwnContent,
    requestLicense: postern.requestLicense,
    requests: postern.listOwnRequests,
    open: postern.open,
  };
}
