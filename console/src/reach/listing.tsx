/** A panel that lists who may have what now: filters, pages and a file for spreadsheets. */
import { Button, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type CsvValue, csvRow } from '../../../src/lib/csv-cell.ts';
import { GRANTS } from '../../../src/rules/policy.ts';
import { type Answer, call, type Row } from '../api/client.ts';
import { type Reading, useRead } from '../api/read.ts';
import { LicenseLink } from '../licenses/license-link.tsx';
import { IconChevronLeft, IconChevronRight, IconDownload } from '../parts/icons.ts';
import { type Column, List } from '../parts/list.tsx';
import { notifyFailure } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { useFocusAfter } from '../parts/returned-focus.ts';
import { saveText } from '../parts/save.ts';
import { Chip, Tags } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { permissionName } from '../policies/permissions.ts';

export type ReachOperation =
  | 'GET /v1/requesters/{id}/reach'
  | 'GET /v1/content/{id}/readers'
  | 'GET /v1/collections/{id}/readers';

export interface Stated {
  purpose?: string;
  permission?: string;
  collectionId?: string;
}

interface ListingProps<O extends ReachOperation> {
  of: O;
  id: string;
  title: string;
  lead: string;
  columns: readonly Column<Row<O>>[];
  idOf: (record: Row<O>) => string;
  /** The columns of the file. */
  cells: Record<string, (record: Row<O>) => CsvValue>;
  file: string;
  /** More filters. */
  filters?: (stated: Stated, set: (changes: Stated) => void) => ReactNode;
  /** Stands above the list. */
  above?: (answer: Answer<O>) => ReactNode;
}

/** The answer, with what all of them have in common. */
type Page<O extends ReachOperation> = Answer<O> & {
  data: Row<O>[];
  nextCursor: string | null;
  assumptions: Answer<ReachOperation>['assumptions'];
};

const LIMIT = 10;

/** Nothing is kept in the address: the page has other lists. */
export function Listing<O extends ReachOperation>(props: ListingProps<O>) {
  const { of, id, title, lead, columns, idOf, filters, above } = props;
  const [stated, setStated] = useState<Stated>({});
  const [trail, setTrail] = useState<string[]>([]);
  const set = (changes: Stated) => {
    setTrail([]);
    setStated((before) => given({ ...before, ...changes }));
  };
  const query = given({ ...stated, cursor: trail.at(-1), limit: LIMIT });
  const answer = useRead(of, { path: { id }, query: query as never }, { keep: true }) as Reading<Page<O>>;
  return (
    <Panel title={title} lead={lead} actions={<Download {...props} stated={stated} />}>
      <div className="filters">
        <Purpose onGiven={(purpose) => set({ purpose })} />
        <Select
          aria-label="Permission"
          placeholder="Any permission"
          data={GRANTS.map((value) => ({ value, label: permissionName(value) }))}
          value={stated.permission ?? null}
          onChange={(permission) => set({ permission: permission ?? '' })}
          clearable
          w={180}
        />
        {filters?.(stated, set)}
      </div>
      <Loaded of={answer}>
        {(page) => (
          <div aria-busy={answer.isPlaceholderData}>
            {above?.(page)}
            {page.data.length === 0 ? (
              <Empty title={page.nextCursor === null ? 'None' : 'None so far'}>
                {page.nextCursor === null ? 'No rule allows it.' : 'Go on to the next page: there is more to look at.'}
              </Empty>
            ) : (
              <List caption={title} records={page.data} idOf={idOf} columns={columns} />
            )}
            <Pager trail={trail} next={page.nextCursor} onTrail={setTrail} />
            <Assumed of={page.assumptions} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const given = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as T;

/** Applied on blur or Enter. */
function Purpose({ onGiven }: { onGiven: (purpose: string) => void }) {
  return (
    <TextInput
      aria-label="Purpose"
      placeholder="Any purpose"
      w={180}
      onBlur={(event) => onGiven(event.currentTarget.value.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onGiven(event.currentTarget.value.trim())}
    />
  );
}

interface PagerProps {
  /** The cursors of the pages before this one, and of this one. */
  trail: readonly string[];
  next: string | null;
  onTrail: (trail: string[]) => void;
}

function Pager({ trail, next, onTrail }: PagerProps) {
  if (trail.length === 0 && next === null) return null;
  return (
    <div className="pager">
      <span />
      <div className="actions">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChevronLeft size={14} />}
          disabled={trail.length === 0}
          onClick={() => onTrail(trail.slice(0, -1))}
        >
          Previous
        </Button>
        <Button
          variant="default"
          size="xs"
          rightSection={<IconChevronRight size={14} />}
          disabled={next === null}
          onClick={() => next !== null && onTrail([...trail, next])}
        >
          Next
        </Button>
      </div>
    </div>
  );
}

const CONDITIONS: Readonly<Record<string, string>> = {
  purpose: 'the purpose',
  permission: 'the permission',
  country: 'the country',
  ip: 'the address',
  userAgent: 'the user agent',
  crawler: 'the crawler',
  crawlerOperator: 'the operator of the crawler',
  crawlerPurpose: 'the purpose of the crawler',
  crawlerVerified: 'whether the crawler is proven',
  attributes: 'attributes that your server states',
  requesterVerified: 'whether the partner is proven',
  time: 'the time',
  host: 'the host',
  path: 'the path',
  contentId: 'the item',
  contentType: 'the type of the item',
  contentTags: 'the tags of the item',
  contentMetadata: 'the metadata of the item',
};

const conditionName = (condition: string): string => CONDITIONS[condition] ?? condition;

function Assumed({ of }: { of: Answer<ReachOperation>['assumptions'] }) {
  if (of.length === 0) return null;
  const unknown = of.filter(({ condition }) => condition !== 'time').map(({ condition }) => conditionName(condition));
  return (
    <p className="soft small">
      {unknown.length > 0 && `Rules here also ask for ${unknown.join(', ')}: taken as not known. `}
      {of.some(({ condition }) => condition === 'time') && 'Rules about times are taken as of now.'}
    </p>
  );
}

/** The columns that both lists have. */
export const GRANTED: readonly Column<Row<ReachOperation>>[] = [
  { label: 'Permissions', show: ({ permissions }) => <Tags of={permissions.map(permissionName)} /> },
  {
    label: 'License',
    show: ({ licenseId }) => (licenseId === null ? <span className="soft">none</span> : <LicenseLink id={licenseId} />),
  },
  {
    label: 'Depends on',
    roomy: true,
    show: ({ dependsOn, enforced }) => (
      <span className="tags">
        {!enforced && <Chip tone="limited">only observed</Chip>}
        {dependsOn.length > 0 && <span className="under">{dependsOn.map(conditionName).join(', ')}</span>}
      </span>
    ),
  },
];

export const GRANTED_CELLS: Record<string, (record: Row<ReachOperation>) => CsvValue> = {
  permissions: ({ permissions }) => permissions.join(' '),
  license: ({ licenseId }) => licenseId,
  'depends on': ({ dependsOn }) => dependsOn.join(' '),
};

function Download<O extends ReachOperation>({ of, id, cells, file, stated }: ListingProps<O> & { stated: Stated }) {
  const [saving, setSaving] = useState(false);
  useFocusAfter(saving);
  const start = () => {
    setSaving(true);
    void readAll(of, id, stated)
      .then((records) => {
        const rows = records.map((record) => csvRow(Object.values(cells).map((show) => show(record))));
        saveText(file, [csvRow(Object.keys(cells)), ...rows].join(''));
      })
      .catch(notifyFailure)
      .finally(() => setSaving(false));
  };
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} loading={saving} onClick={start}>
      Download CSV
    </Button>
  );
}

async function readAll<O extends ReachOperation>(of: O, id: string, stated: Stated): Promise<Row<O>[]> {
  const records: Row<O>[] = [];
  let cursor: string | undefined;
  do {
    const query = given({ ...stated, cursor, limit: 100 });
    const page = (await call(of, { path: { id }, query: query as never })) as Page<O>;
    records.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return records;
}
