/** Before new rules are in force: what they would have changed, then the word. */
import { Alert, Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { told } from '../parts/notices.tsx';
import { lacking, useMay } from '../shell/session.tsx';
import { Impact } from './impact.tsx';
import type { Draft, Policy } from './rules.ts';

interface PublishProps {
  policy: Policy;
  draft: Draft;
  onClose: () => void;
}

export function Publish({ policy, draft, onClose }: PublishProps) {
  const write = useWrite();
  const mayAnalyse = useMay('analytics:read');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const { name, description, rules, defaultAction } = draft;
  const publish = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const published = await write('PATCH /v1/policies/{id}', {
        path: { id: policy.id },
        // Somebody else may have published meanwhile: then this is refused rather than theirs overwritten.
        headers: { 'if-match': `"${policy.version}"` },
        body: { name, description: description === '' ? null : description, rules, defaultAction },
      });
      told(`Version ${published.version} is in force.`);
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`Publish version ${policy.version + 1}`} size="xl">
      {mayAnalyse ? (
        <Impact policyId={policy.id} of={{ policy: { rules, defaultAction } }} />
      ) : (
        <Alert color="gray">No preview of the impact: {lacking('analytics:read')}</Alert>
      )}
      {error !== undefined && (
        <Alert color="red" mt="md" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          Not yet
        </Button>
        <Button loading={busy} onClick={publish}>
          Publish
        </Button>
      </Group>
    </Modal>
  );
}
