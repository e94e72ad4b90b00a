/** The sites whose policies are published, and hosts of collections that are not published yet. */
import { Autocomplete } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Row } from '../api/client.ts';
import { findRecord } from '../api/opened.ts';
import { useRead, useWrite } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useFilters } from '../parts/filters.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { IconPlus, IconWorldShare } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { toRefused } from '../parts/refused.ts';
import { Chip, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';
import { DRIFT_STATES, publishedWords } from './words.ts';

type Site = Row<'GET /v1/sites'>;

const COLUMNS: readonly Column<Site>[] = [
  { label: 'Site', show: ({ host }) => <Link href={`/sites/${encodeURIComponent(host)}`}>{host}</Link> },
  { label: 'Published', show: ({ signals }) => publishedWords(signals) },
  {
    label: 'Readable',
    narrow: true,
    show: ({ signals }) => (
      <Chip tone={signals.public ? 'allowed' : undefined}>{signals.public ? 'by all' : 'by you'}</Chip>
    ),
  },
  { label: 'On your site', narrow: true, show: ({ host }) => <Live host={host} /> },
  { label: 'Changed', narrow: true, show: ({ updated }) => <Time at={updated} /> },
];

/** Says whether the web server serves the same. */
function Live({ host }: { host: string }) {
  const { data } = useRead('GET /v1/sites/{host}/signals/drift', { path: { host } });
  if (data === undefined) return null;
  const { tone, text } = DRIFT_STATES[data.state];
  return <Chip tone={tone}>{text}</Chip>;
}

export default function SitesPage() {
  const { values, set } = useFilters();
  const create = (
    <MayButton permission="policies:write" leftSection={<IconPlus size={16} />} onClick={() => set({ new: '1' })}>
      Publish a site
    </MayButton>
  );
  return (
    <>
      <PageHead
        title="Sites"
        lead="Your policies, published for machines: robots.txt and its relatives, from the rules that decide."
        actions={create}
      />
      <div className="panel">
        <PagedList
          caption="Sites"
          of="GET /v1/sites"
          noun={['site', 'sites']}
          idOf={({ host }) => host}
          empty={
            <Empty icon={<IconWorldShare size={36} stroke={1.3} />} title="No site is published" action={create}>
              Crawlers read robots.txt before they ask. Postern writes it from your policies, so that it never says
              something else than what is enforced.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
      {values.new !== undefined && <NewSite onClose={() => set({ new: null })} />}
    </>
  );
}

function NewSite({ onClose }: { onClose: () => void }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [host, setHost] = useState('');
  const collections = useRead('GET /v1/collections', { query: { limit: 100 } });
  const hosts = (collections.data?.data ?? []).flatMap((one) => one.hosts).filter((one) => !one.startsWith('*'));
  const { busy, error, start } = useWork(async () => {
    const path = { host: host.trim() };
    const before = await findRecord('GET /v1/sites/{host}', { path });
    const site = before ?? (await write('PUT /v1/sites/{host}', { path, body: {} }));
    go(`/sites/${encodeURIComponent(site.host)}`);
  });
  const refused = toRefused(error, { host: 'Host' });
  return (
    <Dialog onClose={onClose} title="Publish a site">
      <form onSubmit={start} className="fields">
        <Autocomplete
          label="Host"
          description="Nothing is readable by others until you say so."
          placeholder="www.example.com"
          data={[...new Set(hosts)]}
          value={host}
          error={refused.at('host')}
          onChange={setHost}
          required
          data-autofocus
        />
        <FormFoot error={refused.elsewhere} busy={busy} action="Continue" onCancel={onClose} />
      </form>
    </Dialog>
  );
}
