/** A host that a caller names, in a path or a query. */

import { isServable, parseNamedHost } from '../../lib/urls/locator.ts';
import { fail } from '../errors.ts';

/** Returns the host in one spelling. Throws invalid_request. */
export function requireHost(text: string): string {
  const host = parseNamedHost(text);
  if (host === undefined) throw noHost();
  return host;
}

/** For hosts that are to be stored. Throws invalid_request. */
export function requireServable(host: string): void {
  if (!isServable(host)) throw noHost();
}

const noHost = () =>
  fail('invalid_request', '`host` must be a host such as www.example.com or localhost:8080.', { param: 'host' });
