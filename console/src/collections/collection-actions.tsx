/** The actions on a collection: edit, delete. */

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useOpened } from '../api/opened.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconPencil, IconTrash } from '../parts/icons.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { pluralize } from '../parts/plural.ts';
import { CollectionForm, toFields } from './collection-form.tsx';
import type { Collection } from './selectors.tsx';

export function Actions({ collection }: { collection: Collection }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <MayButton permission="content:write" leftSection={<IconPencil size={16} />} onClick={() => setDialog('edit')}>
        Edit
      </MayButton>
      <MoreMenu
        of="this collection"
        permission="content:write"
        actions={[{ label: 'Delete…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDialog('delete') }]}
      />
      {dialog === 'edit' && <Edit collection={collection} onClose={close} />}
      {dialog === 'delete' && <Delete collection={collection} onClose={close} />}
    </>
  );
}

interface DialogProps {
  collection: Collection;
  onClose: () => void;
}

function Edit({ collection, onClose }: DialogProps) {
  const write = useWrite();
  const { id, version } = useOpened(collection);
  return (
    <Dialog onClose={onClose} title="Edit the collection" size="lg">
      <CollectionForm
        id={id}
        action="Save"
        initial={toFields(collection)}
        onCancel={onClose}
        onSubmit={async (body) => {
          // An edit made in between is not overwritten.
          await write('PATCH /v1/collections/{id}', {
            path: { id },
            ifMatch: `"${version}"`,
            body: { ...body, metadataReplace: true },
          });
          notify('Saved. The next check follows it.');
          onClose();
        }}
      />
    </Dialog>
  );
}

function Delete({ collection: { id, name }, onClose }: DialogProps) {
  const write = useWrite();
  const [, go] = useLocation();
  const items = useRead('GET /v1/content', { query: { collectionId: id, limit: 1 } }).data?.totalCount;
  return (
    <Confirm
      title="Delete the collection?"
      typed={name}
      action="Delete for good"
      onClose={onClose}
      onConfirm={async () => {
        await write('DELETE /v1/collections/{id}', { path: { id } }, () => go('/collections'));
        notify(`${name} is deleted.`);
      }}
    >
      {items === undefined ? 'Its items' : `Its ${pluralize(items, 'item')}`} and addresses fall in the next most
      specific collection from the next check on. Without one, items get the policy that was the default when they were
      registered, and addresses are in no collection. Items with a policy of their own keep it. Recorded decisions stay.
    </Confirm>
  );
}
