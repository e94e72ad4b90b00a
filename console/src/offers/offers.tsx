/** The price list: what a license of each kind costs, and what a denied crawler sees of it. */

import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { CollectionLink } from '../collections/names.tsx';
import { Confirm, MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconPlus, IconTag } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { formatLastDay } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Offer } from './offer.ts';
import { OfferDialog } from './offer-dialog.tsx';
import { priceWords } from './preview.tsx';

const COLUMNS: readonly Column<Offer>[] = [
  {
    label: 'Kind of license',
    show: ({ licenseType, features }) => (
      <>
        {licenseType}
        {features.length > 0 && <span className="under">with {features.join(', ')}</span>}
      </>
    ),
  },
  {
    label: 'Where',
    show: ({ collectionId }) => (collectionId === null ? 'everywhere' : <CollectionLink id={collectionId} />),
  },
  { label: 'Price', show: (offer) => priceWords(offer) },
  { label: 'Contact', show: ({ contact, url }) => contact ?? url ?? '–' },
  {
    label: 'Last day',
    narrow: true,
    show: ({ validUntil }) =>
      validUntil === null ? '–' : Date.parse(validUntil) <= Date.now() ? 'ended' : formatLastDay(validUntil),
  },
  { label: '', narrow: true, show: (offer) => <Actions offer={offer} /> },
];

export default function OffersPage() {
  const { values, set } = useFilters();
  const create = (
    <MayButton permission="requesters:write" leftSection={<IconPlus size={16} />} onClick={() => set({ new: '1' })}>
      Offer a license
    </MayButton>
  );
  return (
    <>
      <PageHead
        title="Offers"
        lead="What a license costs. A visitor without one is shown the offers that would let it in; no offer changes a decision."
        actions={create}
      />
      <div className="panel">
        <PagedList
          caption="Offers"
          of="GET /v1/offers"
          noun={['offer', 'offers']}
          empty={
            <Empty icon={<IconTag size={36} stroke={1.3} />} title="Nothing is offered yet" action={create}>
              Name a price and an address. Denied crawlers then learn what to pay and whom to ask, instead of a bare
              refusal.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
      {values.new !== undefined && <OfferDialog onClose={() => set({ new: null })} />}
    </>
  );
}

function Actions({ offer }: { offer: Offer }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const write = useWrite();
  const close = () => setDialog(undefined);
  const { licenseType, collectionId } = offer;
  const query = collectionId === null ? {} : { collectionId };
  return (
    <>
      <MoreMenu
        of={`the offer of ${licenseType}`}
        permission="requesters:write"
        actions={[
          { label: 'Edit…', onClick: () => setDialog('edit') },
          { label: 'Delete…', hurts: true, onClick: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <OfferDialog offer={offer} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title="Delete the offer?"
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await write('DELETE /v1/offers/{licenseType}', { path: { licenseType }, query });
            notify(`${licenseType} is no longer offered.`);
          }}
        >
          Denials no longer name it. Licenses that you gave stay.
        </Confirm>
      )}
    </>
  );
}
