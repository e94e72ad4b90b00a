import type { Step, Tables } from '../db.ts';
import { TABLES } from './0001-tables.ts';
import { plainKeys } from './0002-plain-keys.ts';
import { COLLECTIONS } from './0003-collections.ts';
import { OWN_POLICIES } from './0004-own-policies.ts';
import { DECISION_GROUNDS } from './0005-decision-grounds.ts';
import { REQUESTER_TOKENS } from './0006-requester-tokens.ts';
import { TERMS } from './0007-terms.ts';
import { UNREGISTERED } from './0008-unregistered.ts';
import { IDENTITIES } from './0009-identities.ts';
import { USERS } from './0010-users.ts';
import { CANDIDATES } from './0011-candidates.ts';
import { IDENTITY_LISTS } from './0012-identity-lists.ts';
import { STATEMENTS } from './0013-statements.ts';
import { WANTED } from './0014-wanted.ts';
import { SIGHTINGS } from './0015-sightings.ts';
import { AGENT_KEYS } from './0016-agent-keys.ts';
import { PROXY_PROBES } from './0017-proxy-probes.ts';
import { SITES } from './0018-sites.ts';
import { LICENSE_REQUESTS } from './0019-license-requests.ts';
import { PRIVACY } from './0020-privacy.ts';
import { QUOTAS } from './0021-quotas.ts';
import { OFFERS } from './0022-offers.ts';
import { EXPIRING } from './0023-expiring.ts';
import { TEST_MODE } from './0024-test-mode.ts';
import { LIST_TIMES } from './0025-list-times.ts';
import { SIGNAL_CHECKS } from './0026-signal-checks.ts';
import { POLICY_LISTS } from './0027-policy-lists.ts';
import { DELETED_COUNTS } from './0028-deleted-counts.ts';
import { GRACES } from './0029-graces.ts';
import { ENDED_CANDIDATES } from './0030-ended-candidates.ts';
import { takeClaims } from './0031-take-claims.ts';
import { BACKWARD_STEPS } from './0032-backward-steps.ts';
import { SITEMAPS } from './0033-sitemaps.ts';
import { urls } from './0034-urls.ts';
import { FILES } from './0035-files.ts';
import { foldedPaths } from './0036-folded-paths.ts';

/** SQL in both dialects, or a function that reads the store and returns the steps. */
export type Migration = readonly string[] | ((db: Tables) => Promise<Step[]>);

/** In order. Never edit one that was released. The version of a migration is its position, from 1. */
export const MIGRATIONS: readonly Migration[] = [
  TABLES,
  plainKeys,
  COLLECTIONS,
  OWN_POLICIES,
  DECISION_GROUNDS,
  REQUESTER_TOKENS,
  TERMS,
  UNREGISTERED,
  IDENTITIES,
  USERS,
  CANDIDATES,
  IDENTITY_LISTS,
  STATEMENTS,
  WANTED,
  SIGHTINGS,
  AGENT_KEYS,
  PROXY_PROBES,
  SITES,
  LICENSE_REQUESTS,
  PRIVACY,
  QUOTAS,
  OFFERS,
  EXPIRING,
  TEST_MODE,
  LIST_TIMES,
  SIGNAL_CHECKS,
  POLICY_LISTS,
  DELETED_COUNTS,
  GRACES,
  ENDED_CANDIDATES,
  takeClaims,
  BACKWARD_STEPS,
  SITEMAPS,
  urls,
  FILES,
  foldedPaths,
];
