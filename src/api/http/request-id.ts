/** Ids for requests that bring none: random for this process, then counted, because random bytes for each cost more. */
import { randomBytes } from 'node:crypto';

const PROCESS = `req_${randomBytes(12).toString('hex')}_`;
let count = 0;

export const newRequestId = (): string => PROCESS + ++count;
