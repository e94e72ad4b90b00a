/** The actions on an item: edit, archive, delete. */

import { useState } from 'react';
import { useLocation } from 'wouter';
import { tagOf, useOpened } from '../api/opened.ts';
import { useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconArchive, IconArchiveOff, IconPencil, IconTrash } from '../parts/icons.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify, tell } from '../parts/notices.tsx';
import { pluralize } from '../parts/plural.ts';
import { ItemForm } from './item-form.tsx';
import type { Item } from './types.ts';

export function Actions({ item }: { item: Item }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const archived = item.status === 'archived';
  const close = () => setDialog(undefined);
  const toggle = () =>
    tell(
      write('PATCH /v1/content/{id}', { path: { id: item.id }, body: { status: archived ? 'active' : 'archived' } }),
      archived ? 'The item is active again.' : 'The item is archived: every check of it is denied.',
    );
  return (
    <>
      <MayButton permission="content:write" leftSection={<IconPencil size={16} />} onClick={() => setDialog('edit')}>
        Edit
      </MayButton>
      <MoreMenu
        of="this item"
        permission="content:write"
        actions={[
          {
            label: archived ? 'Make active again' : 'Archive',
            icon: archived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />,
            onClick: toggle,
          },
          { label: 'Delete…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <Edit item={item} onClose={close} />}
      {dialog === 'delete' && <Delete item={item} onClose={close} />}
    </>
  );
}

interface DialogProps {
  item: Item;
  onClose: () => void;
}

function Edit({ item: shown, onClose }: DialogProps) {
  const item = useOpened(shown);
  const write = useWrite();
  return (
    <Dialog onClose={onClose} title="Edit the item" size="lg">
      <ItemForm
        editing
        action="Save"
        initial={{
          ...item,
          policyId: item.policySource === 'content' ? item.policyId : null,
          metadata: JSON.stringify(item.metadata, null, 2),
        }}
        onCancel={onClose}
        onSubmit={async ({ title, source, policyId, tags, parsed }) => {
          const path = { id: item.id };
          await write('PATCH /v1/content/{id}', {
            path,
            ifMatch: await tagOf('GET /v1/content/{id}', { path }, item),
            body: { title, source, policyId, tags, metadata: parsed, metadataReplace: true },
          });
          notify('Saved.');
          onClose();
        }}
      />
    </Dialog>
  );
}

function Delete({ item, onClose }: DialogProps) {
  const write = useWrite();
  const [, go] = useLocation();
  return (
    <Confirm
      title="Delete the item for good?"
      typed={item.externalId}
      action="Delete for good"
      onClose={onClose}
      onConfirm={async () => {
        await write('DELETE /v1/content/{id}', { path: { id: item.id } }, () => go('/content'));
        notify(`${item.title} is deleted.`);
      }}
    >
      It is removed from every report, with its {pluralize(item.stats?.totalRequests ?? 0, 'decision')}. This cannot be
      undone; archiving can.
    </Confirm>
  );
}
