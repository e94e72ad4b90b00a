/** The candidate of a policy: how its decisions differ, and the buttons that publish or discard it. */
import { Alert } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Answer, callTagged, PosternError, type Tagged } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { List } from '../parts/list.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { CrawlerLink, formatCount, reasonName, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { whoKey } from '../parts/who.tsx';
import { lacking, useMayInSecret } from '../shell/session.tsx';
import { Turn, WHO } from './impact.tsx';
import type { Policy } from './rules.ts';
import { RuleSentences } from './versions.tsx';

type Figures = Answer<'GET /v1/policies/{id}/candidate'>;
type Read = UseQueryResult<Tagged<Figures> | null>;

export default function Candidate({ policy }: { policy: Policy }) {
  const may = useMayInSecret('analytics:read');
  const path = { id: policy.id };
  const reading: Read = useQuery({
    queryKey: ['GET /v1/policies/{id}/candidate', { path }],
    queryFn: ({ signal }) => callTagged('GET /v1/policies/{id}/candidate', { path, signal }).catch(noneYet),
    staleTime: 30_000,
    enabled: may,
  });
  if (!may) return <Alert color="gray">No candidate is shown: {lacking('analytics:read')}</Alert>;
  return (
    <Loaded of={reading}>
      {(found) =>
        found === null ? (
          <Empty title="No candidate">
            Edit the rules, then choose “Try beside the policy”. From then on you see here what they would deny and
            allow.
          </Empty>
        ) : (
          <Tried policy={policy} {...found} />
        )
      }
    </Loaded>
  );
}

function noneYet(error: unknown): null {
  if (error instanceof PosternError && error.code === 'candidate_not_found') return null;
  throw error;
}

function Tried({ policy, answer, etag }: { policy: Policy } & Tagged<Figures>) {
  const [ending, setEnding] = useState<'publish' | 'discard'>();
  return (
    <div className="stack">
      <Panel
        title="Candidate"
        lead={
          <>
            Decides beside version {policy.version} since <Time at={answer.since} />. Visitors notice nothing.
          </>
        }
        actions={
          <div className="actions">
            <MayButton permission="policies:write" variant="default" onClick={() => setEnding('discard')}>
              Discard
            </MayButton>
            <MayButton permission="policies:write" onClick={() => setEnding('publish')}>
              Publish
            </MayButton>
          </div>
        }
      >
        <Totals of={answer} />
        <Lists of={answer} />
      </Panel>
      <Panel title="Rules of the candidate">
        <RuleSentences rules={answer.rules} defaultAction={answer.defaultAction} />
      </Panel>
      {ending !== undefined && <End policy={policy} etag={etag} how={ending} onClose={() => setEnding(undefined)} />}
    </div>
  );
}

function Totals({ of: { decisions, newlyDenied, newlyAllowed, agreements } }: { of: Figures }) {
  if (decisions === 0) return <Alert color="gray">No decisions yet. They appear here as visitors come.</Alert>;
  return (
    <div className="totals" data-candidate>
      <Turn name="Newly denied" tone="denied" count={newlyDenied} of={decisions} figure="newlyDenied" />
      <Turn name="Newly allowed" tone="allowed" count={newlyAllowed} of={decisions} figure="newlyAllowed" />
      <Turn name="The same" count={agreements} of={decisions} figure="agreements" />
    </div>
  );
}

type Turns = Pick<Figures, 'newlyDenied' | 'newlyAllowed'>;

const TURNS = [
  { label: 'Denied', right: true, narrow: true, show: ({ newlyDenied }: Turns) => formatCount(newlyDenied) },
  { label: 'Allowed', right: true, narrow: true, show: ({ newlyAllowed }: Turns) => formatCount(newlyAllowed) },
];

function Lists({ of: { byWho, byCrawler, byContent, byReason } }: { of: Figures }) {
  if (byReason.length === 0) return null;
  return (
    <div className="columns">
      <List
        caption="Visitors affected"
        tight
        records={byWho}
        idOf={({ who }) => whoKey(who)}
        columns={[WHO, ...TURNS]}
      />
      <List
        caption="Crawlers affected"
        tight
        records={byCrawler}
        idOf={({ crawler }) => crawler ?? ''}
        columns={[
          {
            label: 'Crawler',
            show: ({ crawler }) => (crawler === null ? 'None known' : <CrawlerLink name={crawler} />),
          },
          ...TURNS,
        ]}
      />
      <List
        caption="Items and URLs affected"
        tight
        records={byContent}
        idOf={({ id, url }) => id ?? url ?? ''}
        columns={[
          {
            label: 'Item or URL',
            show: ({ id, title, url }) => (id === null ? url : <Link href={`/content/${id}`}>{title}</Link>),
          },
          ...TURNS,
        ]}
      />
      <List
        caption="Outcomes of the policy and of the candidate"
        tight
        records={byReason}
        idOf={({ from, to }) => `${from} ${to}`}
        columns={[
          { label: 'Policy', show: ({ from }) => (from === null ? 'Allowed' : reasonName(from)) },
          { label: 'Candidate', show: ({ to }) => (to === null ? 'Allowed' : reasonName(to)) },
          { label: 'Decisions', right: true, narrow: true, show: ({ count }) => formatCount(count) },
        ]}
      />
    </div>
  );
}

interface EndProps {
  policy: Policy;
  etag: string | null;
  how: 'publish' | 'discard';
  onClose: () => void;
}

function End({ policy, etag, how, onClose }: EndProps) {
  const write = useWrite();
  // Refused if the policy or its candidate is another by now than the one shown.
  const args = { path: { id: policy.id }, ifMatch: etag ?? `"${policy.version}"` };
  if (how === 'discard') {
    return (
      <Confirm
        title="Discard the candidate?"
        action="Discard"
        onClose={onClose}
        onConfirm={() => write('DELETE /v1/policies/{id}/candidate', args).then(() => notify('Candidate discarded.'))}
      >
        Its rules are no longer tried. The published policy stays as it is.
      </Confirm>
    );
  }
  return (
    <Confirm
      title="Publish the candidate?"
      action="Publish"
      onClose={onClose}
      onConfirm={() =>
        write('POST /v1/policies/{id}/candidate/publish', args).then(({ version }) =>
          notify(`Version ${version} is in force.`),
        )
      }
    >
      Its rules are published as version {policy.version + 1} and apply from the next check on.
    </Confirm>
  );
}
