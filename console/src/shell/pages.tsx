/** Maps addresses to pages. Each loads when first shown; the overview is part of the first load. */
import type { ComponentType } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { PageHead } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { lazily } from './lazily.tsx';
import { PLACES } from './places.ts';
import { holds, lacking, mayOpen, type Permission, useSession } from './session.tsx';

type Page = ComponentType;

const PAGES: readonly [path: string, permission: Permission, page: Page, secret?: true][] = [
  ['/', 'analytics:read', lazily(() => import('../overview/overview.tsx'))],
  ['/visitors', 'analytics:read', lazily(() => import('../visitors/visitors.tsx')), true],
  ['/programs', 'analytics:read', lazily(() => import('../programs/programs.tsx')), true],
  ['/demand', 'analytics:read', lazily(() => import('../demand/demand.tsx'))],
  ['/decisions', 'analytics:read', lazily(() => import('../decisions/decisions.tsx'))],
  ['/decisions/:id', 'analytics:read', lazily(() => import('../decisions/decision.tsx'))],
  ['/content', 'content:read', lazily(() => import('../content/content.tsx'))],
  ['/content/new', 'content:write', lazily(() => import('../content/new-item.tsx'))],
  ['/content/import', 'content:write', lazily(() => import('../content/import.tsx'))],
  ['/content/:id', 'content:read', lazily(() => import('../content/item.tsx'))],
  ['/collections', 'content:read', lazily(() => import('../collections/collections.tsx'))],
  ['/collections/new', 'content:write', lazily(() => import('../collections/new-collection.tsx'))],
  ['/collections/match', 'content:read', lazily(() => import('../collections/match.tsx'))],
  ['/collections/:id', 'content:read', lazily(() => import('../collections/collection.tsx'))],
  ['/policies', 'policies:read', lazily(() => import('../policies/policies.tsx'))],
  ['/policies/new', 'policies:write', lazily(() => import('../policies/new-policy.tsx'))],
  ['/policies/:id', 'policies:read', lazily(() => import('../policies/policy.tsx'))],
  ['/requesters', 'requesters:read', lazily(() => import('../requesters/requesters.tsx'))],
  ['/requesters/:id', 'requesters:read', lazily(() => import('../requesters/requester.tsx'))],
  ['/crawlers', 'policies:read', lazily(() => import('../crawlers/crawlers.tsx'))],
  ['/crawlers/:id', 'policies:read', lazily(() => import('../crawlers/crawler.tsx'))],
  ['/licenses', 'requesters:read', lazily(() => import('../licenses/licenses.tsx'))],
  ['/licenses/:id', 'requesters:read', lazily(() => import('../licenses/license.tsx'))],
  ['/offers', 'policies:read', lazily(() => import('../offers/offers.tsx'))],
  ['/requests', 'requesters:read', lazily(() => import('../requests/requests.tsx'))],
  ['/statements', 'requesters:read', lazily(() => import('../statements/statements.tsx'))],
  ['/statements/:id', 'requesters:read', lazily(() => import('../statements/statement.tsx'))],
  ['/sites', 'policies:read', lazily(() => import('../sites/sites.tsx'))],
  ['/sites/:host', 'policies:read', lazily(() => import('../sites/site.tsx'))],
  ['/users', 'api_keys:manage', lazily(() => import('../users/users.tsx'))],
  ['/keys', 'api_keys:manage', lazily(() => import('../keys/keys.tsx'))],
  ['/webhooks', 'webhooks:manage', lazily(() => import('../webhooks/webhooks.tsx'))],
  ['/webhooks/:id', 'webhooks:manage', lazily(() => import('../webhooks/webhook.tsx'))],
  ['/audit', 'api_keys:manage', lazily(() => import('../audit/audit.tsx'))],
  ['/status', 'api_keys:manage', lazily(() => import('../settings/status.tsx'))],
];

export function Pages() {
  const session = useSession();
  const first = PLACES.find((place) => mayOpen(session, place));
  return (
    <Switch>
      {PAGES.map(([path, permission, Page, secret]) => (
        <Route key={path} path={path}>
          {() => {
            if (mayOpen(session, { permission, ...(secret && { secret }) })) return <Page />;
            if (path === '/' && first !== undefined) return <Redirect to={first.path} replace />;
            return (
              <Empty title="Your access does not include this page">
                {holds(session, permission) ? 'It is not for viewers and public keys.' : lacking(permission)} Ask the
                person who gave you access.
              </Empty>
            );
          }}
        </Route>
      ))}
      <Route>
        <PageHead title="Page not found" lead="The page may have moved. Choose one from the navigation." />
      </Route>
    </Switch>
  );
}
