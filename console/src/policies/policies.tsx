/** All policies. */
import { Button } from '@mantine/core';
import { IconPlus, IconScale } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, Moment } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';

export default function PoliciesPage() {
  const { values } = useFilters();
  const [, go] = useLocation();
  const policies = useRead(
    'GET /v1/policies',
    { query: { limit: 25, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) } },
    { keep: true },
  );
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
            Write a policy
          </MayButton>
        }
      />
      <div className="panel">
        <PagedList
          caption="Policies"
          of={policies}
          noun={['policy', 'policies']}
          filtered={false}
          idOf={({ id }) => id}
          empty={<Empty icon={<IconScale size={36} stroke={1.3} />} title="No policies" />}
          columns={[
            {
              label: 'Name',
              show: ({ id, name, description, isDefault }) => (
                <>
                  <Link href={`/policies/${id}`}>{name}</Link> {isDefault && <Chip>default</Chip>}
                  {description !== null && <span className="under">{description}</span>}
                </>
              ),
            },
            { label: 'Rules', right: true, narrow: true, show: ({ rules }) => rules.length },
            {
              label: 'Otherwise',
              narrow: true,
              show: ({ defaultAction }) => (
                <Chip tone={defaultAction === 'allow' ? 'allowed' : 'denied'}>{defaultAction}</Chip>
              ),
            },
            { label: 'Version', right: true, narrow: true, show: ({ version }) => version },
            { label: 'Updated', narrow: true, show: ({ updated }) => <Moment at={updated} /> },
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
          ]}
        />
      </div>
    </>
  );
}
