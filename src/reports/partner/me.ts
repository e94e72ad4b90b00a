/** Reads what belongs to a partner. What belongs to another requester is not found, as if it never existed. */

import { fail } from '../../api/errors.ts';
import type { PageQuery } from '../../db/page.ts';
import { licenseNotFound } from '../../requesters/licenses/edits.ts';
import { findLicense, findRequester, findRequesterLicenses, listLicenses } from '../../requesters/store.ts';
import { findToken } from '../../requesters/tokens/store.ts';
import type { ComputeDeps } from '../statements/compute.ts';
import { getBilled } from '../statements/find.ts';
import { readStatements } from '../statements/list.ts';
import type { Billed } from '../statements/statement.ts';
import { licenseUsage } from '../statements/usage.ts';
import type { ReportDeps } from '../usage/report.ts';
import { type DecisionDeps, ownLimits } from './decisions.ts';
import { type ListOwnStatementsQuery, licenseView, partnerView } from './schema.ts';

export type MeDeps = ComputeDeps & DecisionDeps & ReportDeps;

const LICENSES_MAX = 100;
/** Each may count the decisions of a long period. */
const QUOTAS_MAX = 10;

/** Throws invalid_requester_token: the token was revoked meanwhile. */
export async function readMe(deps: MeDeps, requesterId: string, tokenId: string) {
  const { db } = deps;
  const now = deps.now();
  const [requester, token, all] = await Promise.all([
    findRequester(db, requesterId),
    findToken(db, requesterId, tokenId),
    findRequesterLicenses(db, requesterId),
  ]);
  if (requester === undefined || token === undefined) {
    throw fail('invalid_requester_token', 'This token was revoked. Ask the publisher for a new one.');
  }
  const open = all.filter(({ status, expiresAt }) => status === 'active' && (expiresAt ?? Infinity) > now);
  const licenses = open.slice(-LICENSES_MAX).toReversed();
  const views = [];
  let quotas = 0;
  for (const license of licenses) {
    const view = licenseView(license, now);
    if (!view.valid) views.push(view);
    else if (license.terms?.quota === undefined) views.push({ ...view, quota: null });
    else if (quotas++ < QUOTAS_MAX) views.push({ ...view, quota: await findQuota(deps, license.id) });
    else views.push(view);
  }
  return { ...partnerView(requester, token), licenses: views, limits: await ownLimits(deps, requesterId) };
}

/** Returns null where no terms are in force. */
const findQuota = async (deps: MeDeps, licenseId: string) =>
  licenseUsage(deps, licenseId).then(
    ({ quota }) => quota,
    () => null,
  );

export async function listOwnLicenses({ db, now }: MeDeps, requesterId: string, query: PageQuery) {
  const page = await listLicenses(db, { ...query, requesterId });
  return { ...page, data: page.data.map((license) => licenseView(license, now())) };
}

/** Throws license_not_found and statement_not_found. */
export async function getOwnLicenseUsage(deps: MeDeps, requesterId: string, licenseId: string) {
  if ((await findLicense(deps.db, licenseId, requesterId)) === undefined) throw licenseNotFound(licenseId);
  return licenseUsage(deps, licenseId);
}

export const listOwnStatements = async (deps: MeDeps, requesterId: string, query: ListOwnStatementsQuery) =>
  (await readStatements(deps, { ...query, requesterId })).page;

/** Throws statement_not_found. */
export const getOwnBilled = (deps: MeDeps, requesterId: string, id: string): Promise<Billed> =>
  getBilled(deps.db, id, deps.now(), requesterId);
