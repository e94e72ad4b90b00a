/** One requester: its licences on a line of time, what it used of what it may, and what it was denied. */
import { Alert, Anchor, Modal } from '@mantine/core';
import { IconBan, IconCertificate, IconCheck, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { told, toldFailed } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, Json, Moment, Tags } from '../parts/show.tsx';
import { Failed, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { LicenseForm } from './license-form.tsx';
import { LicenseLine } from './license-line.tsx';
import { Limits } from './limits.tsx';
import { RequesterForm } from './requester-form.tsx';
import type { Requester } from './types.ts';
import { Usage } from './usage.tsx';

export default function RequesterPage() {
  const id = useId();
  const requester = useRead('GET /v1/requesters/{id}', { path: { id } });
  if (requester.error instanceof ApiError && requester.error.status === 404)
    return <Shown id={id} requester={undefined} />;
  if (requester.isError) return <Failed error={requester.error} />;
  return (
    <Loaded of={requester} rows={8}>
      {(data) => <Shown id={id} requester={data} />}
    </Loaded>
  );
}

function Shown({ id, requester }: { id: string; requester: Requester | undefined }) {
  const mayAnalyse = useMay('analytics:read');
  const [licensing, setLicensing] = useState(false);
  const [registering, setRegistering] = useState(false);
  const licenses = useRead('GET /v1/licenses', { query: { requesterId: id, limit: 100 } });
  return (
    <>
      <PageHead
        title={requester?.name ?? id}
        under={{ path: '/requesters', label: 'Requesters' }}
        lead={
          <span className="tags">
            {requester === undefined ? (
              <Chip>not registered</Chip>
            ) : (
              <Chip tone={requester.status === 'active' ? 'allowed' : 'denied'}>{requester.status}</Chip>
            )}
            {requester?.type != null && <Chip>{requester.type}</Chip>}
          </span>
        }
        actions={
          <>
            <MayButton
              permission="policies:write"
              leftSection={<IconCertificate size={16} />}
              onClick={() => (requester === undefined ? setRegistering(true) : setLicensing(true))}
            >
              Give a licence
            </MayButton>
            {requester !== undefined && <Actions requester={requester} />}
          </>
        }
      />
      <div className="stack">
        {requester === undefined && (
          <Alert color="gray" title="Nobody registered this requester">
            It is evaluated as one without licence, type or tags.{' '}
            <MayButton
              permission="policies:write"
              size="compact-sm"
              variant="subtle"
              onClick={() => setRegistering(true)}
            >
              Register it
            </MayButton>
          </Alert>
        )}
        {mayAnalyse && <Usage requesterId={id} />}
        {mayAnalyse && <UsageOver title="The last 30 days" query={{ requesterId: id }} />}
        <Panel title="Licences" lead="By the time they are good for.">
          <Loaded of={licenses}>{({ data }) => <LicenseLine licenses={data} />}</Loaded>
        </Panel>
        <div className="columns">
          {mayAnalyse && <Limits requesterId={id} />}
          {requester !== undefined && (
            <Panel title="About it">
              <dl className="facts">
                <dt>Id</dt>
                <dd>
                  <Id of={requester.id} />
                </dd>
                <dt>Tags</dt>
                <dd>
                  <Tags of={requester.tags} />
                </dd>
                <dt>Registered</dt>
                <dd>
                  <Moment at={requester.created} />
                </dd>
                <dt>Metadata</dt>
                <dd>
                  {Object.keys(requester.metadata).length === 0 ? (
                    <span className="soft">none</span>
                  ) : (
                    <Json of={requester.metadata} />
                  )}
                </dd>
              </dl>
            </Panel>
          )}
        </div>
        {mayAnalyse && (
          <Panel
            title="Latest denials"
            actions={
              <Anchor
                component={Link}
                size="sm"
                href={`/decisions?requesterId=${encodeURIComponent(id)}&allowed=false`}
              >
                All of them
              </Anchor>
            }
          >
            <Decisions omit="Requester" query={{ requesterId: id, allowed: false, limit: 6 }} />
          </Panel>
        )}
      </div>
      {licensing && (
        <Modal opened onClose={() => setLicensing(false)} title={`A licence for ${requester?.name ?? id}`}>
          <LicenseForm requesterId={id} onDone={() => setLicensing(false)} onCancel={() => setLicensing(false)} />
        </Modal>
      )}
      {registering && (
        <Modal opened onClose={() => setRegistering(false)} title="Register the requester">
          <RequesterForm id={id} onDone={() => setRegistering(false)} onCancel={() => setRegistering(false)} />
        </Modal>
      )}
    </>
  );
}

function Actions({ requester }: { requester: Requester }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const suspended = requester.status === 'suspended';
  const path = { id: requester.id };
  const turn = () =>
    write('PATCH /v1/requesters/{id}', { path, body: { status: suspended ? 'active' : 'suspended' } }).then(
      () =>
        told(
          suspended ? `${requester.name} is active again.` : `${requester.name} is suspended: it is denied everything.`,
        ),
      toldFailed,
    );
  return (
    <>
      <MoreMenu
        of="this requester"
        permission="policies:write"
        actions={[
          { label: 'Edit', icon: <IconPencil size={16} />, onClick: () => setDoing('edit') },
          {
            label: suspended ? 'Make active again' : 'Suspend',
            icon: suspended ? <IconCheck size={16} /> : <IconBan size={16} />,
            onClick: turn,
          },
          { label: 'Delete…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDoing('delete') },
        ]}
      />
      {doing === 'edit' && (
        <Modal opened onClose={() => setDoing(undefined)} title="Edit the requester">
          <RequesterForm
            requester={requester}
            onDone={() => setDoing(undefined)}
            onCancel={() => setDoing(undefined)}
          />
        </Modal>
      )}
      {doing === 'delete' && (
        <Confirm
          title="Delete the requester for good?"
          typed={requester.id}
          action="Delete for good"
          onClose={() => setDoing(undefined)}
          onConfirm={() =>
            write('DELETE /v1/requesters/{id}', { path }, () => go('/requesters')).then(() =>
              told(`${requester.name} is deleted.`),
            )
          }
        >
          Its licences are deleted with it. What it asked for in the past stays, under its id.
        </Confirm>
      )}
    </>
  );
}
