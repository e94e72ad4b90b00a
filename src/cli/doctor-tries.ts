/** The bounds of the visits of `postern doctor URL`, and the statuses of denials. */
export const TIMEOUT_MS = 10_000;
export const ATTEMPTS = 4;
/** A node reads new probes at most four times a second. */
export const AGAIN_MS = 400;

const DENIED: ReadonlySet<number> = new Set([401, 402, 403, 429]);
export const isDenial = (status: number): boolean => DENIED.has(status);
