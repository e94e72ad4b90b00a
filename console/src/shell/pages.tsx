/** Which page an address shows. Each is loaded when it is first asked for; the overview comes with the console. */
import { type ComponentType, lazy } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { PageHead } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { PLACES } from './places.ts';
import { holds, lacking, type Permission, useSession } from './session.tsx';

type Page = ComponentType;

const PAGES: readonly [path: string, permission: Permission, page: Page][] = [
  ['/', 'analytics:read', lazy(() => import('../overview/overview.tsx'))],
  ['/decisions', 'analytics:read', lazy(() => import('../decisions/decisions.tsx'))],
  ['/decisions/:id', 'analytics:read', lazy(() => import('../decisions/decision.tsx'))],
  ['/content', 'content:read', lazy(() => import('../content/content.tsx'))],
  ['/content/new', 'content:write', lazy(() => import('../content/new-item.tsx'))],
  ['/content/import', 'content:write', lazy(() => import('../content/import.tsx'))],
  ['/content/:id', 'content:read', lazy(() => import('../content/item.tsx'))],
  ['/policies', 'policies:read', lazy(() => import('../policies/policies.tsx'))],
  ['/policies/new', 'policies:write', lazy(() => import('../policies/new-policy.tsx'))],
  ['/policies/:id', 'policies:read', lazy(() => import('../policies/policy.tsx'))],
  ['/requesters', 'policies:read', lazy(() => import('../requesters/requesters.tsx'))],
  ['/requesters/:id', 'policies:read', lazy(() => import('../requesters/requester.tsx'))],
  ['/licenses', 'policies:read', lazy(() => import('../requesters/licenses.tsx'))],
  ['/keys', 'api_keys:manage', lazy(() => import('../keys/keys.tsx'))],
  ['/webhooks', 'webhooks:manage', lazy(() => import('../webhooks/webhooks.tsx'))],
  ['/webhooks/:id', 'webhooks:manage', lazy(() => import('../webhooks/webhook.tsx'))],
  ['/audit', 'api_keys:manage', lazy(() => import('../audit/audit.tsx'))],
  ['/status', 'api_keys:manage', lazy(() => import('../settings/status.tsx'))],
];

export function Pages() {
  const session = useSession();
  const first = PLACES.find(({ permission }) => holds(session, permission));
  return (
    <Switch>
      {PAGES.map(([path, permission, Page]) => (
        <Route key={path} path={path}>
          {() => {
            if (holds(session, permission)) return <Page />;
            if (path === '/' && first !== undefined) return <Redirect to={first.path} replace />;
            return <Empty title="Not for this key">{lacking(permission)}</Empty>;
          }}
        </Route>
      ))}
      <Route>
        <PageHead
          title="There is no such page"
          lead="What was here may have moved. The navigation shows what there is."
        />
      </Route>
    </Switch>
  );
}
