/** One decision: what was asked, what was answered, and why, decided again as of its moment. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Body, call } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Id } from '../parts/copy.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { countOf, Json, Moment, momentOf, RequesterLink, Tags, Verdict } from '../parts/show.tsx';
import { Failed, Loaded } from '../parts/states.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { Explained } from './explanation.tsx';
import type { Decision } from './table.tsx';

export default function DecisionPage() {
  const id = useId();
  const decision = useRead('GET /v1/access/decisions/{id}', { path: { id } });
  return (
    <Loaded of={decision} rows={8}>
      {(data) => <Shown decision={data as Decision} />}
    </Loaded>
  );
}

function Shown({ decision }: { decision: Decision }) {
  const { context, matchedRule, rateLimit, license } = decision;
  return (
    <>
      <PageHead
        title={decision.externalId}
        under={{ path: '/decisions', label: 'Decisions' }}
        lead={
          <span className="tags">
            <Verdict reason={decision.reason} /> <span>{decision.message}</span>
          </span>
        }
      />
      <div className="columns">
        <Panel title="What was asked">
          <dl className="facts">
            <dt>Requester</dt>
            <dd>
              <RequesterLink id={decision.requesterId} />
            </dd>
            <dt>Item</dt>
            <dd>
              <Link href={`/content/${decision.contentId}`}>{decision.externalId}</Link>
            </dd>
            <dt>Purpose</dt>
            <dd>{decision.purpose ?? <span className="soft">not said</span>}</dd>
            <dt>Permission</dt>
            <dd>{decision.permission ?? <span className="soft">none in particular</span>}</dd>
            <dt>Country</dt>
            <dd>{context?.country ?? <span className="soft">not said</span>}</dd>
            <dt>Address</dt>
            <dd>{context?.ip ?? <span className="soft">not said</span>}</dd>
            <dt>User agent</dt>
            <dd>{context?.userAgent ?? <span className="soft">not said</span>}</dd>
            {license != null && (
              <>
                <dt>Licence vouched for</dt>
                <dd>
                  <Json of={license} />
                </dd>
              </>
            )}
            <dt>When</dt>
            <dd>
              {momentOf(decision.created)} (<Moment at={decision.created} />)
            </dd>
          </dl>
        </Panel>
        <Panel title="What was answered">
          <dl className="facts">
            <dt>Decision</dt>
            <dd>
              <Verdict reason={decision.reason} />
            </dd>
            <dt>Granted</dt>
            <dd>
              <Tags of={decision.permissions} />
            </dd>
            <dt>By</dt>
            <dd>
              <Link href={`/policies/${decision.policyId}?tab=versions&version=${decision.policyVersion}`}>
                version {decision.policyVersion} of its policy
              </Link>
              ,{' '}
              {matchedRule === null
                ? 'the default action'
                : `rule ${matchedRule.index + 1} (priority ${matchedRule.priority})`}
            </dd>
            <dt>Licence</dt>
            <dd>{decision.licenseId === null ? <span className="soft">none</span> : <Id of={decision.licenseId} />}</dd>
            <dt>Limit</dt>
            <dd>
              {rateLimit === null ? (
                <span className="soft">none</span>
              ) : (
                `${countOf(rateLimit.remaining)} of ${countOf(rateLimit.limit)} a ${rateLimit.period} were left`
              )}
            </dd>
            <dt>Id</dt>
            <dd>
              <Id of={decision.id ?? ''} />
            </dd>
          </dl>
        </Panel>
      </div>
      <div className="stack below">
        <Panel
          title="Why"
          lead="Decided again as of its moment, by the policy version, the requester and the licences of then."
        >
          <Why decision={decision} />
        </Panel>
      </div>
    </>
  );
}

function Why({ decision }: { decision: Decision }) {
  const may = useMay('access:check');
  const check = {
    contentId: decision.contentId,
    ...(decision.requesterId === null ? {} : { requesterId: decision.requesterId }),
    ...(decision.permission == null ? {} : { permission: decision.permission }),
    ...(decision.purpose == null ? {} : { purpose: decision.purpose }),
    ...(decision.context == null ? {} : { context: decision.context }),
    ...(decision.license == null ? {} : { license: decision.license }),
    explain: true,
    dryRun: true,
    asOf: decision.created,
  } satisfies Body<'POST /v1/access/check'>;
  const again = useQuery({
    queryKey: ['POST /v1/access/check', { body: check }],
    queryFn: () => call('POST /v1/access/check', { body: check }),
    enabled: may,
  });
  if (!may) return <Alert color="gray">{lacking('access:check')}</Alert>;
  if (again.isError) return <Failed error={again.error} onRetry={() => void again.refetch()} />;
  if (again.data === undefined) return <p className="soft">Deciding again…</p>;
  const same = again.data.reason === decision.reason || decision.reason === 'rate_limit_exceeded';
  return (
    <>
      {!same && (
        <Alert color="yellow" mb="md">
          Decided again it comes out otherwise: the item was edited since, or the requester was registered later.
        </Alert>
      )}
      <Explained decision={again.data} />
    </>
  );
}
