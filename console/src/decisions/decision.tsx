/** The page of a decision: the request, the answer, and an explanation decided again as of its time. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Body, call } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { CollectionLink } from '../collections/names.tsx';
import { LicenseLink } from '../licenses/license-link.tsx';
import { Id } from '../parts/copy.tsx';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { ReceiptButton } from '../parts/receipt-button.tsx';
import {
  CrawlerLink,
  formatCount,
  formatLastDay,
  formatTime,
  isLimited,
  NotEnforced,
  ProofChip,
  RequesterLink,
  Tags,
  Time,
  Verdict,
} from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';
import { DraftRule } from '../policies/draft-rule.tsx';
import { permissionName } from '../policies/permissions.ts';
import { periodWords } from '../policies/rules.ts';
import { lacking, useMay } from '../shell/session.tsx';
import { decidedBy } from './by.ts';
import { Explained } from './explanation.tsx';
import type { Decision } from './table.tsx';

const UNDER = { path: '/decisions', label: 'Decisions' };

export default function DecisionPage() {
  const id = useId();
  const decision = useRead('GET /v1/access/decisions/{id}', { path: { id }, query: { expand: 'names' } });
  return (
    <LoadedPage of={decision} under={UNDER}>
      {(data) => <DecisionView decision={data} />}
    </LoadedPage>
  );
}

function DecisionView({ decision }: { decision: Decision }) {
  return (
    <>
      <PageHead
        title={decision.names?.content ?? decision.externalId ?? decision.url ?? ''}
        under={UNDER}
        lead={
          <span className="tags">
            <Verdict reason={decision.reason} /> <NotEnforced of={decision} /> <span>{decision.message}</span>
          </span>
        }
        actions={
          <>
            <DraftRules decision={decision} />
            {decision.id !== null && <ReceiptButton of="GET /v1/access/decisions/{id}/proof" id={decision.id} />}
          </>
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

/** Leads to rules about the requester, and about the page. */
function DraftRules({ decision: { crawler, requesterId, contentId, url, names } }: { decision: Decision }) {
  const who = requesterId ?? crawler;
  return (
    <>
      {who !== null && (
        <DraftRule
          subject={requesterId === null ? { crawler: who } : { requesterId }}
          name={names?.requester ?? who}
          label="Rule about the requester…"
        />
      )}
      {contentId === null && url !== null && <DraftPageRule url={url} />}
    </>
  );
}

/** The log keeps URLs without their scheme. */
function DraftPageRule({ url }: { url: string }) {
  const { host, pathname: path } = new URL(`https://${url}`);
  return <DraftRule subject={{ page: { host, path } }} name={`${host}${path}`} label="Rule about the page…" />;
}

/** Shows a value of the request; `absent` where the caller stated none. */
function Stated({ value, absent = 'not said' }: { value: string | null | undefined; absent?: string }) {
  return value ?? <span className="soft">{absent}</span>;
}

const describeAttributes = (attributes: NonNullable<NonNullable<Decision['context']>['attributes']>): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

function RequestFacts({ decision }: { decision: Decision }) {
  const { context, license } = decision;
  return (
    <Facts
      of={{
        Who: <Who decision={decision} />,
        Crawler: decision.crawler !== null && <CrawlerLink name={decision.crawler} />,
        [decision.contentId === null ? 'Page' : 'Item']: <Item decision={decision} />,
        Collection: decision.collectionId != null && <CollectionLink id={decision.collectionId} />,
        Purpose: <Stated value={decision.purpose} />,
        Right: <Right of={decision} />,
        Country: <Stated value={context?.country} absent={absentOf(decision, 'context')} />,
        Address: <Stated value={context?.ip} absent={absentOf(decision, 'context.ip')} />,
        'User agent': <Stated value={context?.userAgent} absent={absentOf(decision, 'context.userAgent')} />,
        Method: <Stated value={context?.method} absent={absentOf(decision, 'context')} />,
        'Attributes your server stated': context?.attributes !== undefined && describeAttributes(context.attributes),
        'License your server stated': license?.type !== undefined && describeStated(license, decision.created),
        When: (
          <>
            {formatTime(decision.created)} (<Time at={decision.created} />)
          </>
        ),
      }}
    />
  );
}

/** Says why a field is empty. */
const absentOf = ({ reduced = [] }: Decision, field: NonNullable<Decision['reduced']>[number]): string =>
  reduced.includes(field) || reduced.includes('context') ? 'not kept' : 'not said';

const Right = ({ of: { permission } }: { of: Decision }) => (
  <Stated value={permission && permissionName(permission)} absent="none in particular" />
);

function Who({ decision }: { decision: Decision }) {
  const { requesterId, names } = decision;
  const name = names?.requester ?? requesterId;
  return (
    <>
      <RequesterLink id={requesterId} name={name ?? ''} /> <ProofChip of={decision} />
      {name !== requesterId && <span className="under">{requesterId}</span>}
    </>
  );
}

function Item({ decision: { contentId, externalId, url, names } }: { decision: Decision }) {
  if (contentId === null) return <>{url}</>;
  return (
    <>
      <Link href={`/content/${contentId}`}>{names?.content ?? externalId}</Link>
      {names?.content != null && <span className="under">{externalId}</span>}
    </>
  );
}

const NONE = <span className="soft">none</span>;

function AnswerFacts({ decision }: { decision: Decision }) {
  const { matchedRule, rateLimit, quota, names } = decision;
  return (
    <Facts
      of={{
        Decision: (
          <>
            <Verdict reason={decision.reason} />
            {!decision.enforced && (
              <span className="under">The collection only observes: the request was let through.</span>
            )}
          </>
        ),
        Granted: <Tags of={decision.permissions.map(permissionName)} />,
        'Decided by': (
          <>
            <Link href={`/policies/${decision.policyId}?tab=versions&version=${decision.policyVersion}`}>
              {names?.policy ?? 'Its policy'}
            </Link>
            , {decidedBy({ reason: decision.reason, matchedRule })} (version {decision.policyVersion})
          </>
        ),
        License: decision.licenseId === null ? NONE : <LicenseLink id={decision.licenseId} />,
        Limit:
          rateLimit === null
            ? NONE
            : `${formatCount(rateLimit.remaining)} of ${formatCount(rateLimit.limit)} ${periodWords(rateLimit.period)} were left`,
        Quota:
          quota === null
            ? NONE
            : `${formatCount(quota.used)} of ${formatCount(quota.units)} units were used${quota.period === 'term' ? '' : ` this ${quota.period}`}`,
        Id: <Id of={decision.id ?? ''} />,
        'Public id': <Id of={decision.publicId} />,
      }}
    />
  );
}

/** For example "enterprise, ended 11 Nov 2026", as of the decision. */
function describeStated({ type = '', features = [], expiresAt }: NonNullable<Decision['license']>, at: string): string {
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
  const same = again.data.reason === decision.reason || isLimited(decision.reason);
  return (
    <>
      {decision.reduced !== undefined && (
        <Alert color="gray" mb="md">
          Parts of this request are not kept, so conditions on them count as unknown here.
        </Alert>
      )}
      {!same && decision.reduced === undefined && (
        <Alert color="yellow" mb="md">
          Decided again, the result differs: the item was edited since, or the partner was added later.
        </Alert>
      )}
      <Explained decision={again.data} />
    </>
  );
}

/** With what was proven then. Without a shortened address, which no condition can judge. */
const wholeOf = ({ context, verified, reduced = [] }: Decision): object => ({
  ...context,
  ...(reduced.includes('context.ip') ? { ip: undefined } : {}),
  ...(verified === null ? {} : { verified }),
});

/** The log keeps URLs without their scheme. */
const subjectOf = ({ contentId, url }: Decision) =>
  contentId === null ? { url: `https://${url ?? ''}` } : { contentId };

/** Returns the check that decides again with the inputs of the decision. */
const toCheck = (decision: Decision): Body<'POST /v1/access/check'> => ({
  ...subjectOf(decision),
  ...(decision.requesterId === null ? {} : { requesterId: decision.requesterId }),
  ...(decision.permission == null ? {} : { permission: decision.permission }),
  ...(decision.purpose == null ? {} : { purpose: decision.purpose }),
  ...(decision.context == null && decision.verified === null ? {} : { context: wholeOf(decision) }),
  ...(decision.license?.type === undefined ? {} : { license: { ...decision.license, type: decision.license.type } }),
  explain: true,
  dryRun: true,
  asOf: decision.created,
});
