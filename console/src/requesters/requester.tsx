/** The page of a partner or bot: licenses, limits and denials. */
import { Alert, Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PosternError } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { LicenseForm } from '../licenses/license-form.tsx';
import { LicenseLine } from '../licenses/license-line.tsx';
import { PeriodBar } from '../overview/period-bar.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconBan, IconCertificate, IconCheck, IconEraser, IconPencil, IconTrash } from '../parts/icons.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, erasedName, isErased, Json, Tags, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { DraftRule } from '../policies/draft-rule.tsx';
import { Reach } from '../reach/reach.tsx';
import { useMay } from '../shell/session.tsx';
import { Erase, EraseButton } from './erase.tsx';
import { Limits } from './limits.tsx';
import { Proofs } from './proofs.tsx';
import { RequesterForm } from './requester-form.tsx';
import { Tokens } from './tokens.tsx';
import type { Requester } from './types.ts';
import { Usage } from './usage.tsx';
import './requesters.css';

export default function RequesterPage() {
  const id = useId();
  const requester = useRead('GET /v1/requesters/{id}', { path: { id } });
  if (requester.error instanceof PosternError && requester.error.status === 404)
    return <RequesterView id={id} requester={undefined} />;
  return (
    <Loaded of={requester} rows={8}>
      {(data) => <RequesterView id={id} requester={data} />}
    </Loaded>
  );
}

interface RequesterViewProps {
  id: string;
  /** Undefined when the id is not in the list. */
  requester: Requester | undefined;
}

function RequesterView({ id, requester }: RequesterViewProps) {
  const mayAnalyze = useMay('analytics:read');
  const [form, setForm] = useState<'license' | 'add'>();
  const licenses = useRead('GET /v1/licenses', { query: { requesterId: id, limit: 100 } });
  const close = () => setForm(undefined);
  const create = requester !== undefined && (
    <MayButton permission="requesters:write" onClick={() => setForm('license')}>
      Create a license
    </MayButton>
  );
  return (
    <>
      <Head id={id} requester={requester} onLicense={() => setForm(requester === undefined ? 'add' : 'license')} />
      <div className="stack">
        {requester === undefined && <NotListed id={id} onAdd={() => setForm('add')} />}
        {mayAnalyze && <Counts key={id} id={id} />}
        <Panel title="Licenses" lead="What it holds, and until when.">
          <Loaded of={licenses}>{({ data }) => <LicenseLine licenses={data} create={create} />}</Loaded>
        </Panel>
        <div className="columns">
          {mayAnalyze && <Limits requesterId={id} />}
          {requester !== undefined && <Details requester={requester} />}
        </div>
        {requester !== undefined && (
          <div className="columns">
            <Tokens requesterId={id} name={requester.name} />
            <Proofs requester={requester} />
          </div>
        )}
        <Reach key={`reach ${id}`} requesterId={id} />
        {mayAnalyze && <LatestDenials id={id} />}
      </div>
      {form === 'license' && (
        <Dialog onClose={close} title={`New license for ${requester?.name ?? id}`} size="64rem">
          <LicenseForm requesterId={id} onDone={close} onCancel={close} />
        </Dialog>
      )}
      {form === 'add' && (
        <Dialog onClose={close} title="Add a partner or bot">
          <RequesterForm id={id} onDone={close} onCancel={close} />
        </Dialog>
      )}
    </>
  );
}

const Counts = ({ id }: { id: string }) => (
  <div>
    <PeriodBar />
    <div className="stack">
      <Usage requesterId={id} />
      <UsageOver title={(span) => `Requests ${span}`} query={{ requesterId: id }} />
    </div>
  </div>
);

function Head({ id, requester, onLicense }: RequesterViewProps & { onLicense: () => void }) {
  const isGone = requester === undefined && isErased(id);
  const name = requester?.name ?? id;
  return (
    <PageHead
      title={isGone ? erasedName(id) : name}
      under={{ path: '/requesters', label: 'Partners & bots' }}
      lead={
        <span className="tags">
          {requester === undefined ? (
            <Chip>{isGone ? 'erased' : 'not in your list'}</Chip>
          ) : (
            <Chip tone={requester.status === 'active' ? 'allowed' : 'denied'}>{requester.status}</Chip>
          )}
          {requester?.type != null && <Chip>{requester.type}</Chip>}
        </span>
      }
      actions={
        !isGone && (
          <>
            <MayButton permission="requesters:write" leftSection={<IconCertificate size={16} />} onClick={onLicense}>
              New license
            </MayButton>
            <DraftRule subject={{ requesterId: id }} name={name} />
            {requester === undefined ? <EraseButton id={id} /> : <Actions requester={requester} />}
          </>
        )
      }
    />
  );
}

function NotListed({ id, onAdd }: { id: string; onAdd: () => void }) {
  if (isErased(id))
    return (
      <Alert color="gray" title="Erased">
        Who this was is no longer stored. What it used still counts in reports and statements, under a pseudonym.
      </Alert>
    );
  return (
    <Alert color="gray" title="Not in your list yet">
      Treated as a stranger: no license, no tags.{' '}
      <MayButton permission="requesters:write" size="compact-sm" variant="subtle" onClick={onAdd}>
        Add it
      </MayButton>
    </Alert>
  );
}

function Details({ requester }: { requester: Requester }) {
  const hasMetadata = Object.keys(requester.metadata).length > 0;
  return (
    <Panel title="Details">
      <Facts
        of={{
          Id: <Id of={requester.id} />,
          Contact: requester.contactName,
          Email: requester.email !== null && <Anchor href={`mailto:${requester.email}`}>{requester.email}</Anchor>,
          'Billing address': requester.billingAddress !== null && (
            <span className="address">{requester.billingAddress}</span>
          ),
          Tags: <Tags of={requester.tags} />,
          'User agents': <Tags of={requester.userAgents} />,
          Added: <Time at={requester.created} />,
          Metadata: hasMetadata ? <Json of={requester.metadata} /> : <span className="soft">none</span>,
        }}
      />
    </Panel>
  );
}

function LatestDenials({ id }: { id: string }) {
  const all = `/decisions?requesterId=${encodeURIComponent(id)}&allowed=false`;
  return (
    <Panel
      title="Latest denials"
      actions={
        <Anchor component={Link} size="sm" href={all}>
          Show all
        </Anchor>
      }
    >
      <Decisions omit="Who" query={{ requesterId: id, allowed: false, limit: 6 }} />
    </Panel>
  );
}

function Actions({ requester }: { requester: Requester }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'erase'>();
  const suspended = requester.status === 'suspended';
  const path = { id: requester.id };
  const toggle = () =>
    tell(
      write('PATCH /v1/requesters/{id}', { path, body: { status: suspended ? 'active' : 'suspended' } }),
      suspended ? `${requester.name} is active again.` : `${requester.name} is suspended: it is denied everything.`,
    );
  return (
    <>
      <MoreMenu
        of="this partner or bot"
        permission="requesters:write"
        actions={[
          { label: 'Edit', icon: <IconPencil size={16} />, onClick: () => setDialog('edit') },
          {
            label: suspended ? 'Make active again' : 'Suspend',
            icon: suspended ? <IconCheck size={16} /> : <IconBan size={16} />,
            onClick: toggle,
          },
          { label: 'Delete…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDialog('delete') },
          { label: 'Erase…', icon: <IconEraser size={16} />, hurts: true, onClick: () => setDialog('erase') },
        ]}
      />
      {dialog === 'edit' && (
        <Dialog onClose={() => setDialog(undefined)} title="Edit partner or bot">
          <RequesterForm
            requester={requester}
            onDone={() => setDialog(undefined)}
            onCancel={() => setDialog(undefined)}
          />
        </Dialog>
      )}
      {dialog === 'erase' && <Erase id={requester.id} name={requester.name} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && (
        <Confirm
          title="Delete this partner or bot for good?"
          typed={requester.id}
          action="Delete for good"
          onClose={() => setDialog(undefined)}
          onConfirm={() =>
            write('DELETE /v1/requesters/{id}', { path }, () => go('/requesters')).then(() =>
              notify(`${requester.name} is deleted.`),
            )
          }
        >
          Its licenses are deleted with it. What it asked for in the past stays in the log, under its id; to remove that
          too, erase it instead.
        </Confirm>
      )}
    </>
  );
}
