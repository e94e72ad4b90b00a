/** Creates a policy, from a template or empty. */
import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { notify } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { Words } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';
import { DraftBar, Restored } from './draft-notices.tsx';
import { NEW_POLICY, useDraft } from './drafts.ts';
import { Editor } from './editor.tsx';
import { NameFields } from './name-fields.tsx';
import { type Draft, toDraft, whyNotWritten } from './rules.ts';
import './policies.css';

const BLANK: Draft = { name: '', description: '', rules: [], defaultAction: 'deny' };

export default function NewPolicy() {
  const [template, setTemplate] = useState<Draft>();
  const edited = useDraft(NEW_POLICY, template ?? BLANK, 0);
  const choosing = template === undefined && !edited.dirty;
  return (
    <>
      <PageHead
        title="New policy"
        under={{ path: '/policies', label: 'Policies' }}
        lead={choosing ? 'Start from a template or from an empty list of rules.' : undefined}
      />
      {edited.restoredFrom !== undefined && <Restored at={edited.restoredFrom} onDiscard={edited.discard} />}
      {choosing ? (
        <Templates onChoose={setTemplate} />
      ) : (
        <Write edited={edited} onBack={() => setTemplate(undefined)} />
      )}
    </>
  );
}

function Templates({ onChoose }: { onChoose: (draft: Draft) => void }) {
  const templates = useRead('GET /v1/policies/templates');
  return (
    <Loaded of={templates}>
      {({ data }) => (
        <div className="cards">
          {[
            ...data.map((one) => ({ ...one, action: 'Use this one' })),
            {
              id: 'blank',
              ...BLANK,
              name: 'Empty',
              description: 'No rules yet: everybody is denied.',
              action: 'Start empty',
            },
          ].map((template) => (
            <section key={template.id} className="panel card">
              <h2>{template.name}</h2>
              <p className="soft">
                <Words of={template.description} />
              </p>
              <Button
                variant="default"
                onClick={() => onChoose(template.id === 'blank' ? BLANK : toDraft(template))}
                aria-label={`${template.action}: ${template.name}`}
              >
                {template.action}
              </Button>
            </section>
          ))}
        </div>
      )}
    </Loaded>
  );
}

interface WriteProps {
  edited: ReturnType<typeof useDraft>;
  onBack: () => void;
}

function Write({ edited, onBack }: WriteProps) {
  const { draft, change } = edited;
  const write = useWrite();
  const [, go] = useLocation();
  const { busy, error, start } = useWork(async () => {
    const { name, description, rules, defaultAction } = draft;
    const policy = await write('POST /v1/policies', {
      body: { name, rules, defaultAction, ...(description === '' ? {} : { description }) },
    });
    edited.discard();
    notify('Policy created. It applies to no content yet.');
    go(`/policies/${policy.id}`);
  });
  const createButton = (
    <MayButton
      permission="policies:write"
      onClick={start}
      loading={busy}
      because={draft.name.trim() === '' ? 'Give it a name.' : whyNotWritten(draft)}
    >
      Create policy
    </MayButton>
  );
  return (
    <div className="stack">
      <Panel title="Name and description">
        <NameFields draft={draft} onChange={change} />
      </Panel>
      <Editor draft={draft} onChange={change} />
      {error !== undefined && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {edited.dirty ? (
        <DraftBar edited={edited} inForce="">
          {createButton}
        </DraftBar>
      ) : (
        <div className="unsaved">
          <span className="soft">It applies to no content until you choose some.</span>
          <div className="actions">
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
            {createButton}
          </div>
        </div>
      )}
    </div>
  );
}
