/** Ways in that the address of the page holds: a sign-in link, or why the provider's answer opened no session. */
const HEAD = '#link=';

export const isLink = (): boolean => window.location.hash.startsWith(HEAD);

/** Returns the token of the link; undefined without one. */
export const readLink = (): string | undefined => (isLink() ? window.location.hash.slice(HEAD.length) : undefined);

/** Returns the reason of a failed sign-in; null without one. */
export const readFailure = (): string | null => new URLSearchParams(window.location.search).get('signIn');

/** Returns the address without both, which neither a reload nor a bookmark should use again. */
export function pageAddress(): string {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  query.delete('signIn');
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}

export const forgetEntry = (): void => window.history.replaceState(null, '', pageAddress());
