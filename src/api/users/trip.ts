/**
 * The round trip of a browser to the provider and back. No node remembers it, so it may come back to any: a cookie of
 * the browser holds it, and state, nonce and code verifier are hashes of that cookie. So an answer counts only in the
 * browser that began, and a cookie that was changed matches no answer.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { newToken } from './token.ts';

export const TRIP_COOKIE = 'postern_sign_in';
export const TRIP_MS = 10 * 60_000;

export interface Trip {
  /** The console's origin, as the browser knows it. */
  origin: string;
  /** The console's page to open afterwards. */
  to: string;
  startedAt: number;
}

export interface TripSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

const OVERVIEW = '/console';
const TO_MAX = 500;
/** A path of the console; another site could begin with two slashes. */
const PAGE = /^\/console(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/;

export const toConsolePage = (to: string | undefined): string =>
  to !== undefined && to.length <= TO_MAX && PAGE.test(to) ? to : OVERVIEW;

export const writeTrip = (trip: Trip): string =>
  `${newToken()}.${Buffer.from(JSON.stringify([trip.origin, trip.to, trip.startedAt])).toString('base64url')}`;

/** undefined: not one of ours, or too old. */
export function readTrip(cookie: string | undefined, now: number): Trip | undefined {
  try {
    const text = Buffer.from(cookie?.split('.')[1] ?? '', 'base64url').toString();
    const [origin, to, startedAt] = JSON.parse(text) as [string, string, number];
    const isCurrent = startedAt <= now && now < startedAt + TRIP_MS;
    return isCurrent && new URL(origin).origin === origin ? { origin, to: toConsolePage(to), startedAt } : undefined;
  } catch {
    return undefined;
  }
}

/** `provider` is part of them, so that no answer counts at another provider. */
export function deriveSecrets(cookie: string, provider: string): TripSecrets {
  const of = (name: string): string =>
    createHash('sha256').update(`${name}\0${provider}\0${cookie}`).digest('base64url');
  return { state: of('state'), nonce: of('nonce'), verifier: of('verifier') };
}

export const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
