/** The token of the partner: kept for this tab, until it signs out or the tab closes. It is sent in a header only. */
const NAME = 'postern-partner-token';

/** Returns undefined without one, also where the browser lets a page keep nothing. */
export function keptToken(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(NAME, token);
  } catch {
    // The token then is needed again after a reload.
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // There is none.
  }
}
