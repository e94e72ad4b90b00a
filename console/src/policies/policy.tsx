/** One policy: its rules to edit, a bench to try them on, and its versions. The draft is shared: what is tried is what is seen. */
import '@mantine/core/styles/Tabs.css';
import { Button, Tabs } from '@mantine/core';
import { IconStar, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { told, toldFailed } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, Moment } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { Bench } from './bench.tsx';
import { Editor } from './editor.tsx';
import { NameFields } from './new-policy.tsx';
import { Publish } from './publish.tsx';
import { type Draft, draftOf, isSame, type Policy } from './rules.ts';
import { Versions } from './versions.tsx';

export default function PolicyPage() {
  const id = useId();
  const policy = useRead('GET /v1/policies/{id}', { path: { id } });
  // A new version is a new page: the draft begins again with what is stored.
  return (
    <Loaded of={policy} rows={8}>
      {(data) => <Shown key={`${data.id} ${data.version}`} policy={data} />}
    </Loaded>
  );
}

function Shown({ policy }: { policy: Policy }) {
  const stored = draftOf(policy);
  const [draft, setDraft] = useState<Draft>(stored);
  const [publishing, setPublishing] = useState(false);
  const { values, set } = useFilters();
  const may = useMay('policies:write');
  const dirty = !isSame(draft, stored);
  return (
    <>
      <PageHead
        title={policy.name}
        under={{ path: '/policies', label: 'Policies' }}
        lead={
          <span className="tags">
            <Chip>version {policy.version}</Chip>
            {policy.isDefault && <Chip>default for new content</Chip>}
            <span>
              <Link href={`/content?policyId=${policy.id}`}>items under it</Link> · changed{' '}
              <Moment at={policy.updated} />
            </span>
          </span>
        }
        actions={<Actions policy={policy} />}
      />
      <Tabs
        value={values.tab ?? 'rules'}
        onChange={(tab) => set({ tab: tab === 'rules' ? null : tab, version: null })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="bench">Try it</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="rules">
          <div className="stack">
            <Editor draft={draft} onChange={setDraft} readOnly={!may} />
            <Panel title="Name and description">
              <NameFields draft={draft} onChange={setDraft} readOnly={!may} />
            </Panel>
            <p className="soft small">
              <Id of={policy.id} />
            </p>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="bench">
          <Bench draft={draft} policyId={policy.id} unsaved={dirty} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions policy={policy} />
        </Tabs.Panel>
      </Tabs>
      {dirty && (
        <div className="unsaved" role="status">
          <span>Not published yet: what is in force is version {policy.version}.</span>
          <div className="actions">
            <Button variant="default" onClick={() => setDraft(stored)}>
              Discard
            </Button>
            <MayButton permission="policies:write" onClick={() => setPublishing(true)}>
              Preview and publish
            </MayButton>
          </div>
        </div>
      )}
      {publishing && <Publish policy={policy} draft={draft} onClose={() => setPublishing(false)} />}
    </>
  );
}

function Actions({ policy }: { policy: Policy }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const path = { id: policy.id };
  const makeDefault = () =>
    write('POST /v1/policies/{id}/make-default', { path }).then(
      () => told('New content is under this policy from now on.'),
      toldFailed,
    );
  return (
    <>
      <MoreMenu
        of="this policy"
        permission="policies:write"
        actions={[
          {
            label: 'Make it the default',
            icon: <IconStar size={16} />,
            disabled: policy.isDefault,
            onClick: makeDefault,
          },
          {
            label: 'Delete…',
            icon: <IconTrash size={16} />,
            hurts: true,
            disabled: policy.isDefault || policy.id === 'pol_default',
            onClick: () => setDeleting(true),
          },
        ]}
      />
      {deleting && (
        <Confirm
          title="Delete the policy for good?"
          typed={policy.name}
          action="Delete for good"
          onClose={() => setDeleting(false)}
          onConfirm={() =>
            write('DELETE /v1/policies/{id}', { path }, () => go('/policies')).then(() =>
              told(`${policy.name} is deleted.`),
            )
          }
        >
          Its versions go with it. It is refused while content, archived content included, is under it.
        </Confirm>
      )}
    </>
  );
}
