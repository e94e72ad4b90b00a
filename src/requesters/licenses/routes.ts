/** Create, list, read, edit, revoke and delete licenses. */

import { type Resource, resource } from '../../api/changes/resource.ts';
import type { App } from '../../api/http/app.ts';
import { isUnchanged, NotModified } from '../../api/http/etag.ts';
import { PageQuerySchema, toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, SEQ_FORM } from '../../db/page.ts';
import { parseIso } from '../../lib/clock.ts';
import type { RequesterDeps } from '../routes.ts';
import {
  CreateLicense,
  EditedLicense,
  LicenseAnswer,
  LicenseDeleted,
  LicensePage,
  ListLicensesQuery,
  licenseAnswer,
  licenseEtag,
  TermsVersionPage,
  termsVersionAnswers,
  UpdateLicense,
} from '../schema.ts';
import { findLicense, listLicenses } from '../store.ts';
import {
  type LicenseEditDeps,
  licenseNotFound,
  newLicense,
  planCreate,
  planDelete,
  planRevoke,
  planUpdate,
} from './edits.ts';
import type { License } from './license.ts';
import { findTerms } from './terms-store.ts';

const reading = { tag: 'Licenses', permission: 'requesters:read' } as const;
const writing = { tag: 'Licenses', permission: 'requesters:write' } as const;
const editing = { ...writing, ifMatch: true } as const;

type LicenseDeps = Omit<RequesterDeps, 'allowPrivate'> & Pick<LicenseEditDeps, 'findUnbilled'>;

export function licenseRoutes(app: App, deps: LicenseDeps): void {
  const { db, changes, clock, findUnbilled } = deps;
  const licenses = resource({
    changes,
    find: (id) => findLicense(db, id),
    notFound: licenseNotFound,
    etag: (license) => licenseEtag(license, clock.now()),
  });

  const create = {
    ...writing,
    id: 'createLicense',
    is: 'Create a license',
    body: CreateLicense,
    answers: { 201: LicenseAnswer },
  };
  edit(app, 'POST /v1/licenses', create, async (request) => {
    const license = newLicense(request.body, clock.now());
    return changes.commit(request, license.requesterId, () => planCreate(db, license, clock.now()));
  });

  const list = { ...reading, id: 'listLicenses', is: 'List licenses', query: ListLicensesQuery, answer: LicensePage };
  route(app, 'GET /v1/licenses', list, async ({ query }) => {
    const expiry = { expiresBefore: toTime(query.expiresBefore), expiresAfter: toTime(query.expiresAfter) };
    const page = await listLicenses(db, { ...query, ...expiry });
    return toList(page, (license) => licenseAnswer(license, clock.now()));
  });

  const read = {
    ...reading,
    id: 'getLicense',
    is: 'Read a license',
    answers: { 200: LicenseAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/licenses/:id', read, async (request, reply) => {
    const [license, at] = [await licenses.get(request.params.id), clock.now()];
    return isUnchanged(request, reply, licenseEtag(license, at)) ? reply.send() : licenseAnswer(license, at);
  });

  const update = { ...editing, id: 'updateLicense', is: 'Edit a license', body: UpdateLicense, answer: EditedLicense };
  edit(app, 'PATCH /v1/licenses/:id', update, (request) =>
    licenses.edit(request, (before) => planUpdate({ db, findUnbilled }, before, request.body, clock.now())),
  );

  const revoke = { ...editing, id: 'revokeLicense', is: 'Revoke a license permanently', answer: LicenseAnswer };
  edit(app, 'POST /v1/licenses/:id/revoke', revoke, (request) =>
    licenses.edit(request, (before) => planRevoke(before, clock.now())),
  );

  const remove = { ...editing, id: 'deleteLicense', is: 'Delete a license', answer: LicenseDeleted };
  edit(app, 'DELETE /v1/licenses/:id', remove, (request) =>
    licenses.edit(request, (license) => planDelete(license, clock.now())),
  );
  termsRoute(app, deps, licenses);
}

function termsRoute(app: App, { db, clock }: LicenseDeps, licenses: Resource<License>): void {
  const terms = {
    ...reading,
    id: 'listLicenseTerms',
    is: 'List the versions of the terms of a license',
    query: PageQuerySchema,
    answer: TermsVersionPage,
  };
  route(
    app,
    'GET /v1/licenses/:id/terms',
    terms,
    async ({ params: { id }, query: { limit = PAGE_DEFAULT, cursor } }) => {
      const before = cursor === undefined ? Infinity : Number(fromCursor(cursor, SEQ_FORM));
      await licenses.get(id);
      const all = termsVersionAnswers(id, await findTerms(db, id), clock.now());
      const rest = all.filter(({ version }) => version < before).slice(0, limit + 1);
      return toList(cutPage(rest, limit, all.length, ({ version }) => String(version)));
    },
  );
}

const toTime = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseIso(text));
