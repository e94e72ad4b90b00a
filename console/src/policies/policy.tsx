/** The page of a policy: editor, trial and versions share one draft. */
import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconStar, IconTrash } from '../parts/icons.ts';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, Time } from '../parts/show.tsx';
import { lazily } from '../shell/lazily.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { Bench } from './bench.tsx';
import { DraftBar, DraftNotices } from './draft-notices.tsx';
import { type EditedDraft, useDraft } from './drafts.ts';
import { Editor } from './editor.tsx';
import { AppliesToNone, ItemsUnder } from './items-under.tsx';
import { NameFields } from './name-fields.tsx';
import { Publish } from './publish.tsx';
import { type Policy, toDraft, whyNotWritten } from './rules.ts';
import { RuleSentences, Versions } from './versions.tsx';
import './policies.css';

const Candidate = lazily(() => import('./candidate.tsx'));

const UNDER = { path: '/policies', label: 'Policies' };

export default function PolicyPage() {
  const id = useId();
  const policy = useRead('GET /v1/policies/{id}', { path: { id } });
  return (
    <LoadedPage of={policy} under={UNDER}>
      {(data) => <PolicyView key={data.id} policy={data} />}
    </LoadedPage>
  );
}

function PolicyView({ policy }: { policy: Policy }) {
  const edited = useDraft(policy.id, toDraft(policy), policy.version);
  const { draft, dirty } = edited;
  const may = useMay('policies:write');
  const [publishing, setPublishing] = useState(false);
  const { values, set } = useFilters();
  return (
    <>
      <PageHead
        title={policy.name}
        under={UNDER}
        lead={<Lead policy={policy} />}
        actions={<Actions policy={policy} onDeleted={edited.discard} />}
      />
      <AppliesToNone policy={policy} />
      <DraftNotices edited={edited} policyId={policy.id} version={policy.version} />
      <Tabs
        value={values.tab ?? 'rules'}
        onChange={(tab) => set({ tab: tab === 'rules' ? null : tab, version: null })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="bench">Try it</Tabs.Tab>
          <Tabs.Tab value="candidate">Candidate</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="rules">
          <Edit policy={policy} edited={edited} />
        </Tabs.Panel>
        <Tabs.Panel value="bench">
          <Bench draft={draft} policyId={policy.id} unsaved={dirty} />
        </Tabs.Panel>
        <Tabs.Panel value="candidate">
          <Suspense>
            <Candidate policy={policy} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions policy={policy} />
        </Tabs.Panel>
      </Tabs>
      {dirty && may && (
        <DraftBar edited={edited} inForce={`Version ${policy.version} is in force.`}>
          <TryBeside policy={policy} edited={edited} onTried={() => set({ tab: 'candidate', version: null })} />
          <MayButton permission="policies:write" because={whyNot(edited, policy)} onClick={() => setPublishing(true)}>
            Preview and publish
          </MayButton>
        </DraftBar>
      )}
      {publishing && <Publish policy={policy} edited={edited} onClose={() => setPublishing(false)} />}
    </>
  );
}

function Edit({ policy, edited: { draft, change } }: { policy: Policy; edited: EditedDraft }) {
  if (!useMay('policies:write')) return <Read policy={policy} />;
  return (
    <div className="stack">
      <Editor draft={draft} onChange={change} />
      <Panel title="Name and description">
        <NameFields draft={draft} onChange={change} />
      </Panel>
      <p className="soft small">
        <Id of={policy.id} />
      </p>
    </div>
  );
}

/** The policy for people who may not edit it. */
const Read = ({ policy }: { policy: Policy }) => (
  <Panel title="Rules" lead={policy.description ?? undefined}>
    <RuleSentences rules={policy.rules} defaultAction={policy.defaultAction} />
    <p className="soft small">
      {lacking('policies:write')} <Id of={policy.id} />
    </p>
  </Panel>
);

/** Makes the draft the candidate. The draft stays, to be edited further. */
function TryBeside({ policy, edited, onTried }: { policy: Policy; edited: EditedDraft; onTried: () => void }) {
  const write = useWrite();
  const { rules, defaultAction } = edited.draft;
  const start = () =>
    tell(
      write('PUT /v1/policies/{id}/candidate', { path: { id: policy.id }, body: { rules, defaultAction } }).then(
        onTried,
      ),
      'The rules are tried from the next check on.',
    );
  return (
    <MayButton
      permission="policies:write"
      variant="default"
      because={whyNotWritten(edited.draft, policy.rules)}
      onClick={() => void start()}
    >
      Try beside the policy
    </MayButton>
  );
}

function Lead({ policy }: { policy: Policy }) {
  return (
    <span className="tags">
      <Chip>version {policy.version}</Chip>
      {policy.isDefault && <Chip>default for new content</Chip>}
      <span>
        <ItemsUnder policyId={policy.id} /> · changed <Time at={policy.updated} />
      </span>
    </span>
  );
}

/** The reason the draft cannot be published. */
function whyNot({ draft, outdated }: EditedDraft, { rules }: Policy): string | undefined {
  if (outdated) return 'Another version was published in the meantime. Keep your draft or discard it first.';
  return whyNotWritten(draft, rules);
}

function Actions({ policy, onDeleted }: { policy: Policy; onDeleted: () => void }) {
  const write = useWrite();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const path = { id: policy.id };
  const makeDefault = () =>
    tell(write('POST /v1/policies/{id}/make-default', { path }), 'New content gets this policy from now on.');
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
            write('DELETE /v1/policies/{id}', { path }, () => {
              onDeleted();
              go('/policies');
            }).then(() => notify(`${policy.name} is deleted.`))
          }
        >
          Its versions are deleted with it. A policy that applies to content, archived content included, or to a
          collection cannot be deleted.
        </Confirm>
      )}
    </>
  );
}
