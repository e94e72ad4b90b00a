/** The page that registers an item. Its address may name the source. */
import { useLocation } from 'wouter';
import { useWrite } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { notify } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { ItemForm } from './item-form.tsx';

export default function NewItem() {
  const write = useWrite();
  const [, go] = useLocation();
  const { values } = useFilters();
  return (
    <>
      <PageHead title="New item" under={{ path: '/content', label: 'Content' }} />
      <div className="panel narrow-page">
        <ItemForm
          editing={false}
          action="Create item"
          initial={{
            externalId: '',
            title: '',
            type: 'article',
            source: values.source ?? '',
            policyId: null,
            tags: [],
            metadata: '',
          }}
          onCancel={() => go('/content')}
          onSubmit={async ({ externalId, title, type, source, policyId, tags, parsed }) => {
            const item = await write('POST /v1/content', {
              body: { externalId, title, type: type as 'article', source, policyId, tags, metadata: parsed },
            });
            notify(`${item.title} is created.`);
            go(`/content/${item.id}`);
          }}
        />
      </div>
    </>
  );
}
