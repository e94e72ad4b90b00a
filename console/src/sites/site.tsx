/** The page of a site: its statements in words, the files as they are served, and their settings. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { Confirm } from '../parts/act.tsx';
import { IconTrash } from '../parts/icons.ts';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useParam } from '../parts/params.ts';
import { Chip } from '../parts/show.tsx';
import { Drift } from './drift.tsx';
import { Files } from './files.tsx';
import { Said } from './said.tsx';
import { SiteForm } from './site-form.tsx';
import './sites.css';
import type { Site } from './words.ts';

/** Accesses that broke robots.txt. */
const SHOWN = 5;
const UNDER = { path: '/sites', label: 'Sites' };

export default function SitePage() {
  const host = useParam('host');
  const site = useRead('GET /v1/sites/{host}', { path: { host } });
  return (
    <LoadedPage of={site} under={UNDER}>
      {(data) => <SiteView site={data} />}
    </LoadedPage>
  );
}

function SiteView({ site }: { site: Site }) {
  const { host, signals, version } = site;
  return (
    <>
      <PageHead
        title={host}
        under={UNDER}
        lead={
          <Chip tone={signals.public ? 'allowed' : undefined}>
            {signals.public ? 'readable by everybody' : 'readable by you alone'}
          </Chip>
        }
        actions={<Actions host={host} />}
      />
      <div className="stack">
        <Said host={host} />
        <Drift host={host} />
        {signals.robots !== 'off' && <Broken host={host} />}
        <Files site={site} />
        <SiteForm key={version} site={site} />
      </div>
    </>
  );
}

function Broken({ host }: { host: string }) {
  const query = { robots: 'any', url: `${host}/` } as const;
  return (
    <Panel
      title="Who broke robots.txt"
      lead="Crawlers that asked for what the file, as it was then, disallowed. They may use a copy for 24 hours."
      actions={
        <Button component={Link} href={`/decisions?${new URLSearchParams(query)}`} variant="default" size="xs">
          All of them
        </Button>
      }
    >
      <Decisions query={{ ...query, limit: SHOWN }} none="No crawler did" />
    </Panel>
  );
}

function Actions({ host }: { host: string }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <MoreMenu
        of="this site"
        permission="policies:write"
        actions={[
          { label: 'Stop publishing…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDeleting(true) },
        ]}
      />
      {deleting && (
        <Confirm
          title="Stop publishing this site?"
          action="Stop publishing"
          onClose={() => setDeleting(false)}
          onConfirm={() =>
            write('DELETE /v1/sites/{host}', { path: { host } }, () => go('/sites')).then(() =>
              notify(`${host} is no longer published.`),
            )
          }
        >
          Its policies decide as before. Its files are gone from Postern at once; what they said in the past stays
          known.
        </Confirm>
      )}
    </>
  );
}
