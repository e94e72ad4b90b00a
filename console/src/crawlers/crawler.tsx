/** The page of a crawler: its requests by what they proved, its top content, its identities. */
import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { Confirm, MayButton } from '../parts/act.tsx';
import { IconExternalLink, IconUserPlus } from '../parts/icons.ts';
import { notify, notifyFailure } from '../parts/notices.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { RequesterLink, Tags } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { DraftRule } from '../policies/draft-rule.tsx';
import { useMay } from '../shell/session.tsx';
import { Identities } from './identities.tsx';
import { type Crawler, PURPOSES } from './types.ts';
import { Visits } from './visits.tsx';

export default function CrawlerPage() {
  const name = useId();
  const crawlers = useRead('GET /v1/crawlers', { query: { q: name, limit: 100 } });
  return (
    <Loaded of={crawlers} rows={8}>
      {({ data }) => {
        const crawler = data.find((one) => one.name.toLowerCase() === name.toLowerCase());
        return crawler === undefined ? <Unknown name={name} /> : <CrawlerView crawler={crawler} />;
      }}
    </Loaded>
  );
}

const UNDER = { path: '/crawlers', label: 'Crawlers' };

function Unknown({ name }: { name: string }) {
  return (
    <>
      <PageHead title={name} under={UNDER} />
      <div className="panel">
        <Empty title="Not in the crawler directory">This version of Postern knows no crawler of this name.</Empty>
      </div>
    </>
  );
}

function CrawlerView({ crawler }: { crawler: Crawler }) {
  const { name } = crawler;
  const mayAnalyze = useMay('analytics:read');
  return (
    <>
      <PageHead
        title={name}
        under={UNDER}
        lead={`${PURPOSES[crawler.purpose]}. Operator: ${crawler.operator ?? 'unknown'}.`}
        actions={
          <>
            <DraftRule subject={{ crawler: name }} name={name} />
            <Registration crawler={crawler} />
            {crawler.own && <Removal crawler={crawler} />}
          </>
        }
      />
      <div className="stack">
        {mayAnalyze && <Visits crawler={name} />}
        <div className="columns">
          <Identities of={crawler.identities} />
          <Details crawler={crawler} />
        </div>
        {mayAnalyze && <Latest name={name} />}
      </div>
    </>
  );
}

/** Takes an entry of the publisher's own out of the directory. */
function Removal({ crawler: { name, userAgents } }: { crawler: Crawler }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await write('DELETE /v1/crawlers/{token}', { path: { token: userAgents[0] ?? name } }, () => go('/crawlers'));
    notify(`Your entry ${name} is removed.`);
  };
  return (
    <>
      <MayButton permission="policies:write" variant="default" onClick={() => setOpen(true)}>
        Remove your entry
      </MayButton>
      {isOpen && (
        <Confirm title={`Remove ${name}?`} action="Remove" onConfirm={remove} onClose={() => setOpen(false)}>
          Rules that name it match nothing from now on, unless the directory has a crawler of this name. Past decisions
          keep the name.
        </Confirm>
      )}
    </>
  );
}

function Details({ crawler: { userAgents, url, source } }: { crawler: Crawler }) {
  return (
    <Panel title="Details">
      <Facts
        of={{
          'User agents': <Tags of={userAgents} />,
          Page: url !== null && <Outside href={url} />,
          Source: source === null ? 'Your own entry' : <Outside href={source} />,
        }}
      />
    </Panel>
  );
}

const Outside = ({ href }: { href: string }) => (
  <Anchor href={href} target="_blank" rel="noreferrer" size="sm">
    {href} <IconExternalLink size={13} />
  </Anchor>
);

function Latest({ name }: { name: string }) {
  return (
    <Panel
      title="Latest decisions"
      actions={
        <Anchor component={Link} size="sm" href={`/decisions?crawler=${encodeURIComponent(name)}`}>
          Show all
        </Anchor>
      }
    >
      <Decisions query={{ crawler: name, limit: 6 }} />
    </Panel>
  );
}

/** Links to the requester that has the user agents of the crawler, or offers to add it. */
function Registration({ crawler: { name, userAgents } }: { crawler: Crawler }) {
  const write = useWrite();
  const [, go] = useLocation();
  const requesters = useRead(
    'GET /v1/requesters',
    { query: { q: name, limit: 100 } },
    { enabled: useMay('requesters:read') },
  );
  const own = new Set(userAgents.map((token) => token.toLowerCase()));
  const requester = requesters.data?.data.find((one) => one.userAgents.some((token) => own.has(token.toLowerCase())));
  if (requester !== undefined) {
    return (
      <span className="small soft">
        In your list: <RequesterLink id={requester.id} name={requester.name} />
      </span>
    );
  }
  const register = () =>
    write('POST /v1/crawlers/register', { body: { names: [name] } }).then(({ requesters: [made] }) => {
      if (made === undefined) return;
      notify(`${name} is in your list.`);
      go(`/requesters/${encodeURIComponent(made.requesterId)}`);
    }, notifyFailure);
  return (
    <MayButton permission="requesters:write" leftSection={<IconUserPlus size={16} />} onClick={register}>
      Add to partners & bots
    </MayButton>
  );
}
