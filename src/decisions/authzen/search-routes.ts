/** The searches of AuthZEN, beside its evaluations. */
import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import type { CheckDeps } from '../check/check.ts';
import { searchActions, searchResources, searchSubjects } from './search.ts';
import { ActionResults, ActionSearch, EntityResults, ResourceSearch, SubjectSearch } from './search-schema.ts';

const searching = { tag: 'AuthZEN', permission: ['policies:read', 'content:read'], secretKey: true } as const;

export function searchRoutes(door: App, deps: CheckDeps): void {
  const subjects = {
    ...searching,
    id: 'searchSubjects',
    is: 'Search for requesters as AuthZEN has it',
    body: SubjectSearch,
    answer: EntityResults,
  };
  route(door, 'POST /access/v1/search/subject', subjects, ({ body, caller }) => searchSubjects(deps, caller, body));
  const resources = {
    ...searching,
    id: 'searchResources',
    is: 'Search for items as AuthZEN has it',
    body: ResourceSearch,
    answer: EntityResults,
  };
  route(door, 'POST /access/v1/search/resource', resources, ({ body, caller }) => searchResources(deps, caller, body));
  const actions = {
    ...searching,
    id: 'searchActions',
    is: 'Search for permissions as AuthZEN has it',
    body: ActionSearch,
    answer: ActionResults,
  };
  route(door, 'POST /access/v1/search/action', actions, ({ body, caller }) => searchActions(deps, caller, body));
}
