/** The list of policies. */
import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { MayButton } from '../parts/act.tsx';
import { IconPlus, IconScale } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useHasDraft } from './drafts.ts';
import type { Policy } from './rules.ts';

export default function PoliciesPage() {
  const [, go] = useLocation();
  return (
    <>
      <PageHead
        title="Policies"
        lead="Ordered rules that say who may have what, on which terms. Every version is kept."
        actions={
          <MayButton
            permission="policies:write"
            leftSection={<IconPlus size={16} />}
            onClick={() => go('/policies/new')}
          >
            New policy
          </MayButton>
        }
      />
      <div className="panel">
        <PagedList
          caption="Policies"
          of="GET /v1/policies"
          noun={['policy', 'policies']}
          empty={
            <Empty
              icon={<IconScale size={36} stroke={1.3} />}
              title="No policies yet"
              action={
                <MayButton permission="policies:write" onClick={() => go('/policies/new')}>
                  New policy
                </MayButton>
              }
            >
              Start from a template: open access, licensed partners only, or previews for all.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
    </>
  );
}

const COLUMNS: readonly Column<Policy>[] = [
  {
    label: 'Name',
    show: (policy) => <Name policy={policy} />,
  },
  { label: 'Rules', right: true, narrow: true, show: ({ rules }) => rules.length },
  {
    label: 'If no rule matches',
    narrow: true,
    show: ({ defaultAction }) => <Chip tone={defaultAction === 'allow' ? 'allowed' : 'denied'}>{defaultAction}</Chip>,
  },
  { label: 'Version', right: true, narrow: true, show: ({ version }) => version },
  { label: 'Updated', narrow: true, show: ({ updated }) => <Time at={updated} /> },
  {
    label: '',
    narrow: true,
    show: ({ id, name }) => (
      <Button
        component={Link}
        href={`/content?policyId=${id}`}
        size="compact-xs"
        variant="subtle"
        aria-label={`Items under ${name}`}
      >
        Items
      </Button>
    ),
  },
];

function Name({ policy: { id, name, description, isDefault } }: { policy: Policy }) {
  const hasDraft = useHasDraft();
  return (
    <>
      <Link href={`/policies/${id}`}>{name}</Link> {isDefault && <Chip>default</Chip>}{' '}
      {hasDraft(id) && <Chip tone="limited">unpublished draft</Chip>}
      {description !== null && <span className="under">{description}</span>}
    </>
  );
}
