/** Previews the impact of a draft, then publishes it. */
import { Alert, Button, Group } from '@mantine/core';
import { PosternError } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Dialog } from '../parts/dialog.tsx';
import { notify } from '../parts/notices.tsx';
import { useWork } from '../parts/work.ts';
import { lacking, useMay } from '../shell/session.tsx';
import type { EditedDraft } from './drafts.ts';
import { Impact, useImpact } from './impact.tsx';
import type { Policy } from './rules.ts';

interface PublishProps {
  policy: Policy;
  edited: EditedDraft;
  onClose: () => void;
}

export function Publish({ policy, edited, onClose }: PublishProps) {
  const write = useWrite();
  const mayAnalyze = useMay('analytics:read');
  const { name, description, rules, defaultAction } = edited.draft;
  const { busy, error, start } = useWork(async () => {
    const published = await write(
      'PATCH /v1/policies/{id}',
      {
        path: { id: policy.id },
        // The service refuses this if another version was published meanwhile.
        ifMatch: `"${edited.version}"`,
        body: { name, description: description === '' ? null : description, rules, defaultAction },
      },
      onClose,
    );
    edited.discard();
    notify(`Version ${published.version} is in force.`);
  });
  // Publishing no longer needs the preview.
  const impact = useImpact(policy.id, { policy: { rules, defaultAction } }, mayAnalyze && !busy);
  const counting = mayAnalyze && impact.reading.isFetching;
  const { error: failure } = impact.reading;
  // What the preview refuses, the service would not publish either.
  const refused = !counting && failure instanceof PosternError && failure.status < 500;
  return (
    <Dialog onClose={onClose} title={`Publish version ${edited.version + 1}`} size="xl">
      {mayAnalyze ? (
        <Impact of={impact} />
      ) : (
        <Alert color="gray">No preview of the impact: {lacking('analytics:read')} You can publish without it.</Alert>
      )}
      {edited.outdated && (
        <Alert color="yellow" mt="md">
          Version {policy.version} was published in the meantime. Close this and choose whether to keep your draft.
        </Alert>
      )}
      {error !== undefined && (
        <Alert color="red" mt="md" role="alert">
          {error.message}
        </Alert>
      )}
      <Foot busy={busy} counting={counting} disabled={edited.outdated || refused} onPublish={start} onClose={onClose} />
    </Dialog>
  );
}

interface FootProps {
  busy: boolean;
  /** The impact is still being counted. */
  counting: boolean;
  disabled: boolean;
  onPublish: () => void;
  onClose: () => void;
}

function Foot({ busy, counting, disabled, onPublish, onClose }: FootProps) {
  return (
    <Group justify="flex-end" mt="lg" gap="sm" className="dialog-foot">
      <Button variant="default" onClick={onClose}>
        Not yet
      </Button>
      {counting && (
        <Button variant="default" loading={busy} disabled={disabled} onClick={onPublish}>
          Publish without waiting
        </Button>
      )}
      <Button
        loading={busy && !counting}
        disabled={counting || disabled}
        {...(counting ? { title: 'The impact is still being counted.' } : {})}
        onClick={onPublish}
      >
        Publish
      </Button>
    </Group>
  );
}
