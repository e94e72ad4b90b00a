/** The page that creates a collection. Its address may name a first host, a path and the mode. */
import { useLocation } from 'wouter';
import { useWrite } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { notify } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { CollectionForm, NO_FIELDS } from './collection-form.tsx';

export default function NewCollection() {
  const write = useWrite();
  const [, go] = useLocation();
  const { host = '', path = '', mode } = useFilters().values;
  return (
    <>
      <PageHead
        title="New collection"
        under={{ path: '/collections', label: 'Collections' }}
        lead="It holds what matches all given selectors, each by any of its values."
      />
      <div className="panel narrow-page">
        <CollectionForm
          action="Create collection"
          initial={{ ...NO_FIELDS, hosts: host, paths: path, mode: mode === 'observe' ? mode : NO_FIELDS.mode }}
          onCancel={() => go('/collections')}
          onSubmit={async (body) => {
            const { id, name } = await write('POST /v1/collections', { body });
            notify(`${name} is created.`);
            go(`/collections/${id}`);
          }}
        />
      </div>
    </>
  );
}
