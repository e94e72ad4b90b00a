/** The check of a visit. Promise: nothing is in it that is the visitor's own business, and no credential but proofs. */
import type { Check } from '../types.ts';
import { given } from './given.ts';
import type { CommonOptions } from './options.ts';
import type { Visit } from './visit.ts';

/** The subject of a check, and the facts that the site knows of the visitor. */
export interface Question extends Pick<Check, 'contentId' | 'url' | 'urls'> {
  requesterId?: string | undefined;
  context?: Check['context'] | undefined;
}

/** Returns the check of a visit. */
export function checkOf(options: CommonOptions, visit: Visit, { context, ...asked }: Question): Check {
  const url = urlOf(options, visit);
  return given({
    ...asked,
    visitor: visitorOf(url, visit),
    permission: options.permission,
    purpose: options.purpose,
    context: given({
      ...context,
      userAgent: visit.header('user-agent'),
      method: visit.method.length > METHOD_LENGTH_MAX ? undefined : visit.method,
    }),
    explain: options.remedies === false ? undefined : true,
    // One that the service would refuse has no signals. With a page, the id is one that the visitor may see.
    page: url.length > PAGE_LENGTH_MAX ? '' : url,
  });
}

/** A visit without a host names no URL, which the service refuses. */
export function urlOf({ origin }: CommonOptions, { host = '', path, search }: Visit): string {
  return `${origin?.replace(/\/$/, '') ?? `https://${host}`}${path}${search}`;
}

/** A longer one is made up: it is not kept, and denies nothing by itself. */
const METHOD_LENGTH_MAX = 32;
const PAGE_LENGTH_MAX = 2048;

/** The proofs of the visitor. Other credentials than tokens of requesters and licenses are not Postern's to see. */
function visitorOf(url: string, { method, header }: Visit): Check['visitor'] | undefined {
  const authorization = header('authorization');
  const signatureInput = header('signature-input');
  const token = /^(?:bearer +svc_rt_|license +)/i.test(authorization ?? '') ? authorization : undefined;
  if (signatureInput === undefined) return token === undefined ? undefined : { authorization: token };
  const signature = header('signature');
  const signatureAgent = header('signature-agent');
  return given({ authorization: token, signatureInput, method, url, signature, signatureAgent });
}
