/** A new policy: from a template or from nothing. */
import { Alert, Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { told } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { Editor } from './editor.tsx';
import { type Draft, draftOf } from './rules.ts';

const BLANK: Draft = { name: '', description: '', rules: [], defaultAction: 'deny' };

export default function NewPolicy() {
  const [draft, setDraft] = useState<Draft>();
  return (
    <>
      <PageHead
        title="Write a policy"
        under={{ path: '/policies', label: 'Policies' }}
        lead={draft === undefined ? 'Begin with one that others begin with, or with nothing.' : undefined}
      />
      {draft === undefined ? (
        <Templates onChoose={setDraft} />
      ) : (
        <Write draft={draft} onChange={setDraft} onBack={() => setDraft(undefined)} />
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
              name: 'Nothing yet',
              description: 'An empty list of rules; everybody is denied.',
              action: 'Begin with nothing',
            },
          ].map((template) => (
            <section key={template.id} className="panel card">
              <h2>{template.name}</h2>
              <p className="soft">{template.description}</p>
              <Button
                variant="default"
                onClick={() => onChoose(template.id === 'blank' ? BLANK : draftOf(template))}
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
  draft: Draft;
  onChange: (draft: Draft) => void;
  onBack: () => void;
}

function Write({ draft, onChange, onBack }: WriteProps) {
  const write = useWrite();
  const [, go] = useLocation();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { description, ...rest } = draft;
      const policy = await write('POST /v1/policies', {
        body: { ...rest, ...(description === '' ? {} : { description }) },
      });
      told(`${policy.name} is written.`);
      go(`/policies/${policy.id}`);
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };
  return (
    <div className="stack">
      <Panel title="Name and description">
        <NameFields draft={draft} onChange={onChange} />
      </Panel>
      <Editor draft={draft} onChange={onChange} readOnly={false} />
      {error !== undefined && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <div className="unsaved">
        <span className="soft">Content is under it only once you say so, on the item.</span>
        <div className="actions">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button onClick={create} loading={busy} disabled={draft.name.trim() === ''}>
            Create the policy
          </Button>
        </div>
      </div>
    </div>
  );
}

export function NameFields({ draft, onChange, readOnly = false }: Omit<WriteProps, 'onBack'> & { readOnly?: boolean }) {
  return (
    <div className="fields">
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        maxLength={200}
        required
        readOnly={readOnly}
      />
      <Textarea
        label="Description"
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        maxLength={2000}
        autosize
        readOnly={readOnly}
      />
    </div>
  );
}
