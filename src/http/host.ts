/** A host that a caller names, in a path or a query. */
import { fail } from '../errors.ts';
import { parseHost } from '../lib/locator.ts';

/** Returns the host in one spelling. Throws invalid_request. */
export function requireHost(text: string): string {
  const host = parseHost(text);
  if (host !== undefined) return host;
  const message =
    '`host` must be a host such as www.example.com or localhost:8080; names in other scripts in their xn-- form.';
  throw fail('invalid_request', message, { param: 'host' });
}
