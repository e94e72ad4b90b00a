/** Ways in that the address of the page holds: a sign-in link, or why the provider's answer opened no session. */
const HEAD = '#link=';

/** Returns the token of the link; undefined without one. */
export function readLink(): string | undefined {
  const { hash } = window.location;
  return hash.startsWith(HEAD) ? hash.slice(HEAD.length) : undefined;
}

/** Calls `listener` with the token of each link that is pasted into the open page: the browser loads no other one. */
export function onLink(listener: (link: string) => void): () => void {
  const read = () => {
    const link = readLink();
    if (link !== undefined) listener(link);
  };
  window.addEventListener('hashchange', read);
  return () => window.removeEventListener('hashchange', read);
}

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
