/** Opens the finding of visitors' requesters: by token, signature or name. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { VERSION } from '../../lib/version.ts';
import { openLicenseTokens } from '../../requesters/license-tokens/license-tokens.ts';
import { openSignatures } from '../../requesters/signatures/signatures.ts';
import { openKeptKeys } from '../../requesters/signatures/store.ts';
import { openTokens } from '../../requesters/tokens/tokens.ts';
import { openNames } from './names.ts';
import { openVisitors, type VisitorDeps } from './visitors.ts';

export interface VisitingDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  /** Fetches keys of agents from private addresses too. */
  allowPrivate: boolean;
  publicUrl: string | null;
  snapshot: VisitorDeps['snapshot'];
  /** Settles when the server listens. */
  listening: Promise<void>;
  /** Called when the keys of agents could not be kept. */
  onProblem(error: unknown): void;
}

export async function openVisiting(deps: VisitingDeps, opened: AsyncDisposableStack) {
  const { db, changes, clock, allowPrivate, listening, onProblem, snapshot } = deps;
  const tokens = openTokens(db, changes, clock);
  opened.defer(() => tokens.close());
  const licenseTokens = openLicenseTokens(deps);
  const kept = await openKeptKeys({ db, clock, onProblem });
  const signatures = openSignatures({ userAgent: `Postern/${VERSION}`, allowPrivate, kept });
  opened.defer(() => signatures.close());
  const names = openNames(db, changes, (agents) => signatures.track(agents));
  // Then the keys of agents are there, or being fetched, before the first visitor.
  void listening.then(() => names.read()).catch(() => undefined);
  const visitors = openVisitors({ names, tokens, signatures, licenseTokens, clock, snapshot });
  return { tokens, signatures, names, licenseTokens, visitors };
}
