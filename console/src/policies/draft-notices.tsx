/** Notices about a draft: restored, unpublished, or based on an older version. */
import { Alert, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Confirm } from '../parts/act.tsx';
import { formatTime } from '../parts/show.tsx';
import type { EditedDraft } from './drafts.ts';

/** Notices above the editor: changes since the last visit. */
export function DraftNotices({
  edited,
  policyId,
  version,
}: {
  edited: EditedDraft;
  policyId: string;
  version: number;
}) {
  if (edited.outdated) return <Outdated edited={edited} policyId={policyId} version={version} />;
  if (edited.restoredFrom === undefined) return null;
  return <Restored at={edited.restoredFrom} onDiscard={edited.discard} />;
}

export function Restored({ at, onDiscard }: { at: number; onDiscard: () => void }) {
  return (
    <Alert color="blue" title="Your draft was restored" mb="md" role="status">
      <div className="notice-row">
        <span>You last edited it on {formatTime(new Date(at).toISOString())} and did not publish it.</span>
        <Discard size="xs" onDiscard={onDiscard} />
      </div>
    </Alert>
  );
}

function Outdated({ edited, policyId, version }: { edited: EditedDraft; policyId: string; version: number }) {
  return (
    <Alert color="yellow" title={`Version ${version} was published in the meantime`} mb="md" role="status">
      <p className="flat">
        Your draft is based on version {edited.version}. If you publish it, it replaces version {version} as a whole.
      </p>
      <div className="actions">
        <Button
          component={Link}
          size="xs"
          variant="default"
          href={`/policies/${policyId}?tab=versions&version=${edited.version}`}
        >
          See what changed
        </Button>
        <Button size="xs" variant="default" onClick={edited.rebase}>
          Keep my draft
        </Button>
        <Discard size="xs" onDiscard={edited.discard} />
      </div>
    </Alert>
  );
}

/** The bar at the bottom while there is a draft. */
export function DraftBar({ edited, inForce, children }: { edited: EditedDraft; inForce: string; children: ReactNode }) {
  return (
    <div className="unsaved" role="status">
      <span>
        Not published yet. {inForce}{' '}
        <span className="soft">
          {edited.unkept
            ? 'This browser cannot keep the draft: it is lost when you leave the page.'
            : 'The draft is kept in this browser.'}
        </span>
      </span>
      <div className="actions">
        <Discard onDiscard={edited.discard} />
        {children}
      </div>
    </div>
  );
}

export function Discard({ size, onDiscard }: { size?: 'xs'; onDiscard: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" {...(size === undefined ? {} : { size })} onClick={() => setAsking(true)}>
        Discard draft
      </Button>
      {asking && (
        <Confirm
          title="Discard your draft?"
          action="Discard"
          onClose={() => setAsking(false)}
          onConfirm={async () => onDiscard()}
        >
          Your unpublished changes are lost. The published policy stays as it is.
        </Confirm>
      )}
    </>
  );
}
