/**
 * Says which agent signed a request, as Web Bot Auth proves it. The one surface of this room: `verify` is synchronous,
 * waits for nothing and never throws.
 */
import type { LookupFunction } from 'node:net';
import { monotonicMs } from '../../lib/clock.ts';
import { type Getter, openGetter } from '../../lib/outgoing/get.ts';
import { Directories, type DirectoryState, type KeptKeys } from './directories.ts';
import { type Agents, type FindKey, judge, readSignatures } from './judge.ts';
import { verifyWith } from './keys.ts';
import type { SignatureOutcome } from './outcome.ts';
import { remembering, rememberingHeaders } from './remember.ts';
import type { SignedRequest } from './request.ts';

export interface SignaturesOptions {
  userAgent: string;
  /** Accepts http and private addresses of agents, for development. */
  allowPrivate: boolean;
  /** Resolves names; the operating system's resolver by default. */
  lookup?: LookupFunction;
  /** Keeps the keys of agents over a restart. */
  kept?: KeptKeys;
  /** Monotonic milliseconds, for tests. */
  elapsed?: () => number;
}

export interface SignatureFigures {
  verified: number;
  failed: number;
  unknown: number;
  fetches: number;
  /** Failed fetches. */
  failures: number;
  /** Agents whose keys are in memory or being fetched. */
  directories: number;
}

export interface Signatures {
  /**
   * Verifies the signatures of a request. `agents` are those that an operator or the crawler directory named, in normal
   * form (`agentOf`); signatures in the name of others are ignored. The keys of an agent that is used for the first
   * time are fetched in the background, and the outcome is `unknown` until then.
   */
  verify(request: SignedRequest, agents: Agents): SignatureOutcome;
  /** Fetches the keys of these agents ahead of requests, and forgets those of agents that were tracked before. */
  track(agents: ReadonlySet<string>): void;
  directories(): DirectoryState[];
  figures(): SignatureFigures;
  close(): Promise<void>;
}

export function openSignatures({
  userAgent,
  allowPrivate,
  lookup,
  kept,
  elapsed = monotonicMs,
}: SignaturesOptions): Signatures {
  const getter: Getter = openGetter({ userAgent, allowPrivate, lookup });
  const directories = new Directories({ getter, elapsed, kept });
  const findKey: FindKey = (agent, thumbprint) => directories.find(agent, thumbprint);
  const verifyBytes = remembering(verifyWith);
  const headerMemory = rememberingHeaders(readSignatures);
  const outcomes = { none: 0, verified: 0, failed: 0, unknown: 0 };
  return {
    verify(request, agents) {
      const found = judge(request, agents, findKey, { verifyBytes, readHeaders: headerMemory.read });
      if (found.outcome === 'verified') headerMemory.keep();
      outcomes[found.outcome]++;
      return found;
    },
    track: (agents) => directories.track(agents),
    directories: () => directories.list(),
    figures() {
      const { verified, failed, unknown } = outcomes;
      return { verified, failed, unknown, ...directories.figures() };
    },
    close: () => directories.close(),
  };
}
