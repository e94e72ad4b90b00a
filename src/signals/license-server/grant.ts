/** Finds or grants the license of a token: free ones at once; one that is for sale must be held, or is asked for. */
import type { Changes } from '../../api/changes/changes.ts';
import { OAuthError } from '../../api/oauth-error.ts';
import type { Db } from '../../db/db.ts';
import type { KnownRequester } from '../../decisions/snapshot/subject.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { planFree } from '../../requesters/licenses/free.ts';
import { isValidNow, type License } from '../../requesters/licenses/license.ts';
import { planRequestOnce } from '../../requesters/requests/edits.ts';
import { isValid, type LicenseFacts } from '../../rules/facts.ts';
import { rowAt } from '../formats/page-headers.ts';
import type { PublishedLicense } from '../formats/rsl.ts';
import type { Published } from '../signals.ts';

export interface GrantDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

/** The author of what is written: the token of the requester. */
type Author = Parameters<Changes['commit']>[0];

export interface LicenseWanted {
  author: Author;
  requesterId: string;
  known: KnownRequester;
  published: Published;
  place: Locator;
  offered: PublishedLicense;
}

export type GrantedLicense = Pick<LicenseFacts, 'expiresAt'> & { id: string };

/** Throws OAuthError: access_denied, payment_required. */
export const findGranted = (deps: GrantDeps, wanted: LicenseWanted): Promise<GrantedLicense> =>
  wanted.offered.offer === null ? grantFree(deps, wanted) : findBought(deps, wanted, wanted.offered.offer);

async function grantFree(
  { db, changes, clock }: GrantDeps,
  { author, requesterId, published, offered }: LicenseWanted,
) {
  const { host } = published.table;
  let license: License | undefined;
  const terms = { requesterId, host, permits: offered.permits };
  await changes.commit(author, requesterId, () => planFree(db, terms, clock.now(), (one) => void (license = one)));
  const granted = license as unknown as License;
  if (isValidNow(granted, clock.now())) return granted;
  throw new OAuthError(400, 'access_denied', 'The publisher has ended this license.');
}

async function findBought(
  { db, changes, clock }: GrantDeps,
  { author, requesterId, known, published, place, offered }: LicenseWanted,
  { licenseType, features }: NonNullable<PublishedLicense['offer']>,
): Promise<GrantedLicense> {
  const collectionId = rowAt(published.table, place)?.collectionId ?? undefined;
  const held = known.licenses.find(
    (one) =>
      one.type === licenseType &&
      features.every((feature) => one.features.includes(feature)) &&
      coversCollection(one, collectionId) &&
      isValid(one, clock.now()),
  );
  if (held !== undefined) return { id: held.id as string, expiresAt: held.expiresAt };
  const asked = {
    licenseType,
    note: `By the license server, for ${offered.url}`.slice(0, 2000),
    ...(collectionId === undefined ? {} : { collectionId }),
  };
  await changes.commit(author, `requests ${requesterId}`, () => planRequestOnce(db, requesterId, asked, clock.now()));
  throw new OAuthError(402, 'payment_required', NOT_BOUGHT);
}

const NOT_BOUGHT = 'You hold no such license. The publisher has your request; get a token once it is granted.';

/** The rest of a scope is looked at by each check. */
const coversCollection = ({ scope }: LicenseFacts, collectionId: string | undefined): boolean =>
  scope?.collectionIds === undefined || (collectionId !== undefined && scope.collectionIds.includes(collectionId));
