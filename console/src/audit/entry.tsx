/** An entry of the audit log: each changed field before and after. */
import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import type { Row } from '../api/client.ts';
import { Id } from '../parts/copy.tsx';
import { Facts } from '../parts/page.tsx';
import { useReturnedFocus } from '../parts/returned-focus.ts';
import { formatTime, Json } from '../parts/show.tsx';

export type AuditEntry = Row<'GET /v1/audit-log'>;

type Fields = Record<string, unknown>;

export function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  useReturnedFocus();
  const { before, after, actor } = entry;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={entry.kind}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="stack">
        <Facts
          of={{
            Record: <Id of={entry.target.id} />,
            Who: describe(actor),
            From: entry.address ?? '–',
            When: formatTime(entry.created),
            Request: entry.requestId ?? '–',
          }}
        />
        {before !== null && after !== null ? (
          <ul className="differences">
            {changed(before as Fields, after as Fields).map((name) => (
              <li key={name}>
                <strong>{name}</strong>
                <div className="columns">
                  <div className="was">
                    <span className="soft small">Before</span>
                    <Json of={(before as Fields)[name] ?? null} />
                  </div>
                  <div>
                    <span className="soft small">After</span>
                    <Json of={(after as Fields)[name] ?? null} />
                  </div>
                </div>
              </li>
            ))}
          </ul>
        ) : (
          <section>
            <h3 className="small">{before === null ? 'As it was made' : 'As it was'}</h3>
            <Json of={before ?? after} />
          </section>
        )}
      </div>
    </Drawer>
  );
}

function describe({ type, name, id }: AuditEntry['actor']): string {
  if (type === 'system') return 'the service itself';
  return `${name ?? (type === 'user' ? 'a deleted user' : 'a key')} (${id})`;
}

const changed = (before: Fields, after: Fields): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== 'updated' && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
