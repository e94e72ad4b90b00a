/** The function of the page that verifies receipts, without a browser. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

export const PAGE = new URL('../../docs/verify-receipt.html', import.meta.url);
export const source = readFileSync(PAGE, 'utf8');

export interface Given {
  receipt: string;
  keys: string;
  /** An earlier checkpoint; absent: none. */
  old?: string;
}

/** Returns the texts of the parts, and adds what was verified to `steps`. Rejects at the first fault. */
export const verify = runInNewContext(
  `${/<script>\n([\s\S]*)\/\/ ---- the page ----/.exec(source)?.[1] ?? ''}; verifyReceipt`,
  { crypto, TextEncoder, TextDecoder, atob, btoa },
) as (given: Given, steps?: string[]) => Promise<Record<string, string>>;
