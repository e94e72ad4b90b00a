/** The page of a decision: the request, the answer, and an explanation decided again as of its time. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Body, call } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Id } from '../parts/copy.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { formatCount, formatLastDay, formatTime, RequesterLink, Tags, Time, Verdict } from '../parts/show.tsx';
import { Failed, Loaded } from '../parts/states.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { decidedBy } from './by.ts';
import { Explained } from './explanation.tsx';
import type { Decision } from './table.tsx';

export default function DecisionPage() {
  const id = useId();
  const decision = useRead('GET /v1/access/decisions/{id}', { path: { id }, query: { expand: 'names' } });
  return (
    <Loaded of={decision} rows={8}>
      {(data) => <DecisionView decision={data} />}
    </Loaded>
  );
}

function DecisionView({ decision }: { decision: Decision }) {
  return (
    <>
      <PageHead
        title={decision.names?.content ?? decision.externalId}
        under={{ path: '/decisions', label: 'Decisions' }}
        lead={
          <span className="tags">
            <Verdict reason={decision.reason} /> <span>{decision.message}</span>
          </span>
        }
      />
      <div className="columns">
        <Panel title="Request">
          <RequestFacts decision={decision} />
        </Panel>
        <Panel title="Answer">
          <AnswerFacts decision={decision} />
        </Panel>
      </div>
      <div className="stack below">
        <Panel
          title="Why"
          lead="Decided again as of that time, with the policy version, partner and licenses in force then."
        >
          <Why decision={decision} />
        </Panel>
      </div>
    </>
  );
}

/** Shows a value of the request; `absent` where the caller stated none. */
function Stated({ value, absent = 'not said' }: { value: string | null | undefined; absent?: string }) {
  return value ?? <span className="soft">{absent}</span>;
}

function RequestFacts({ decision }: { decision: Decision }) {
  const { context, license } = decision;
  return (
    <dl className="facts">
      <dt>Who</dt>
      <Who decision={decision} />
      <dt>Item</dt>
      <Item decision={decision} />
      <dt>Purpose</dt>
      <dd>
        <Stated value={decision.purpose} />
      </dd>
      <dt>Right</dt>
      <dd>
        <Stated value={decision.permission} absent="none in particular" />
      </dd>
      <dt>Country</dt>
      <dd>
        <Stated value={context?.country} />
      </dd>
      <dt>Address</dt>
      <dd>
        <Stated value={context?.ip} />
      </dd>
      <dt>User agent</dt>
      <dd>
        <Stated value={context?.userAgent} />
      </dd>
      {license != null && (
        <>
          <dt>License your server stated</dt>
          <dd>{describeStated(license, decision.created)}</dd>
        </>
      )}
      <dt>When</dt>
      <dd>
        {formatTime(decision.created)} (<Time at={decision.created} />)
      </dd>
    </dl>
  );
}

function Who({ decision: { requesterId, names } }: { decision: Decision }) {
  const name = names?.requester ?? requesterId;
  return (
    <dd>
      <RequesterLink id={requesterId} name={name ?? ''} />
      {name !== requesterId && <span className="under">{requesterId}</span>}
    </dd>
  );
}

function Item({ decision: { contentId, externalId, names } }: { decision: Decision }) {
  return (
    <dd>
      <Link href={`/content/${contentId}`}>{names?.content ?? externalId}</Link>
      {names?.content != null && <span className="under">{externalId}</span>}
    </dd>
  );
}

function AnswerFacts({ decision }: { decision: Decision }) {
  const { matchedRule, rateLimit, names } = decision;
  return (
    <dl className="facts">
      <dt>Decision</dt>
      <dd>
        <Verdict reason={decision.reason} />
      </dd>
      <dt>Granted</dt>
      <dd>
        <Tags of={decision.permissions} />
      </dd>
      <dt>Decided by</dt>
      <dd>
        <Link href={`/policies/${decision.policyId}?tab=versions&version=${decision.policyVersion}`}>
          {names?.policy ?? 'Its policy'}
        </Link>
        , {decidedBy({ reason: decision.reason, matchedRule })} (version {decision.policyVersion})
      </dd>
      <dt>License</dt>
      <dd>{decision.licenseId === null ? <span className="soft">none</span> : <Id of={decision.licenseId} />}</dd>
      <dt>Limit</dt>
      <dd>
        {rateLimit === null ? (
          <span className="soft">none</span>
        ) : (
          `${formatCount(rateLimit.remaining)} of ${formatCount(rateLimit.limit)} a ${rateLimit.period} were left`
        )}
      </dd>
      <dt>Id</dt>
      <dd>
        <Id of={decision.id ?? ''} />
      </dd>
    </dl>
  );
}

/** For example "enterprise, ended 11 Nov 2026", as of the decision. */
function describeStated({ type, features = [], expiresAt }: NonNullable<Decision['license']>, at: string): string {
  const parts = [type, ...(features.length === 0 ? [] : [`with ${features.join(', ')}`])];
  if (expiresAt != null) parts.push(`${expiresAt <= at ? 'ended' : 'ends'} ${formatLastDay(expiresAt)}`);
  return parts.join(', ');
}

function Why({ decision }: { decision: Decision }) {
  const may = useMay('access:check');
  const check = toCheck(decision);
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
          Decided again, the result differs: the item was edited since, or the partner was added later.
        </Alert>
      )}
      <Explained decision={again.data} />
    </>
  );
}

/** Returns the check that decides again with the inputs of the decision. */
const toCheck = (decision: Decision): Body<'POST /v1/access/check'> => ({
  contentId: decision.contentId,
  ...(decision.requesterId === null ? {} : { requesterId: decision.requesterId }),
  ...(decision.permission == null ? {} : { permission: decision.permission }),
  ...(decision.purpose == null ? {} : { purpose: decision.purpose }),
  ...(decision.context == null ? {} : { context: decision.context }),
  ...(decision.license == null ? {} : { license: decision.license }),
  explain: true,
  dryRun: true,
  asOf: decision.created,
});
