/** List, read, suspend, reinstate and delete users; make sign-in links; the table of roles. */

import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Changes } from '../changes/changes.ts';
import { resource } from '../changes/resource.ts';
import type { App } from '../http/app.ts';
import { toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import type { FindHolder } from '../keys/grant.ts';
import type { Caller } from '../permissions.ts';
import { planDelete, planReinstate, planSuspend, type UserEdit, userNotFound } from './edits.ts';
import { planLink } from './links.ts';
import {
  CreateLink,
  LinkAnswer,
  ListUsersQuery,
  RolesAnswer,
  rolesAnswer,
  UserAnswer,
  UserDeleted,
  UserPage,
  userAnswer,
} from './schema.ts';
import { findUser, listUsers } from './store.ts';
import type { User } from './user.ts';

export interface UserDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  holderOf: FindHolder;
}

const operation = { tag: 'Users', permission: 'api_keys:manage' } as const;

export function userRoutes(app: App, { db, changes, clock, holderOf }: UserDeps): void {
  const users = resource<User>({ changes, find: (id) => findUser(db, id), notFound: userNotFound });
  const by = ({ caller }: { caller: Caller }): UserEdit => ({ callerId: caller.keyId, holderOf, now: clock.now() });

  const list = { ...operation, id: 'listUsers', is: 'List users', query: ListUsersQuery, answer: UserPage };
  route(app, 'GET /v1/users', list, async ({ query }) => toList(await listUsers(db, query), userAnswer));

  const roles = { ...operation, id: 'getRoles', is: 'Read the table of roles', answer: RolesAnswer };
  route(app, 'GET /v1/users/roles', roles, async () => rolesAnswer());

  const read = { ...operation, id: 'getUser', is: 'Read a user', answer: UserAnswer };
  route(app, 'GET /v1/users/:id', read, async ({ params }) => userAnswer(await users.get(params.id)));

  const link = {
    ...operation,
    id: 'createSignInLink',
    is: 'Create a link that signs a person in, once',
    body: CreateLink,
    answers: { 201: LinkAnswer },
  };
  edit(app, 'POST /v1/users/links', link, (request) =>
    changes.commit(request, 'sign-in', async () =>
      planLink({ db, now: clock.now(), holder: await holderOf(request.caller.keyId) }, request.body),
    ),
  );

  const suspend = {
    ...operation,
    id: 'suspendUser',
    is: 'Suspend a user and end all sessions',
    answer: UserAnswer,
  };
  edit(app, 'POST /v1/users/:id/suspend', suspend, (request) =>
    users.edit(request, (user) => planSuspend(by(request), user)),
  );

  const reinstate = { ...operation, id: 'reinstateUser', is: 'Reinstate a suspended user', answer: UserAnswer };
  edit(app, 'POST /v1/users/:id/reinstate', reinstate, (request) =>
    users.edit(request, (user) => planReinstate(by(request), user)),
  );

  const remove = { ...operation, id: 'deleteUser', is: 'Delete a user and end all sessions', answer: UserDeleted };
  edit(app, 'DELETE /v1/users/:id', remove, (request) => users.edit(request, (user) => planDelete(by(request), user)));
}
