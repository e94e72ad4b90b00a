/**
 * Stored JSON becomes plain JSON. Keys that look like integers used to carry a private-use character, which kept them
 * in the order they were sent in. The columns below stored it; the log of changes and receipts never did.
 */
import type { Row, Step, Tables } from '../db.ts';

const MARK = '\ue000';

/** JSON that clients wrote, by table, primary key and column. */
const COLUMNS: readonly [table: string, key: readonly string[], column: string][] = [
  ['content', ['no'], 'metadata'],
  ['requesters', ['no'], 'metadata'],
  ['licenses', ['id'], 'metadata'],
  ['webhooks', ['id'], 'metadata'],
  ['history', ['seq'], 'record'],
  ['policy_versions', ['policy_no', 'version'], 'rules'],
];

export async function plainKeys(db: Tables): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [table, key, column] of COLUMNS) {
    const rows = await db.read<Row & { json: string }>(
      `select ${key.join(', ')}, ${column} as json from ${table} where ${column} like $1`,
      [`%"${MARK}%`],
    );
    const isRow = key.map((name, i) => `${name} = $${i + 2}`).join(' and ');
    for (const row of rows) {
      const json = JSON.stringify(withoutMarks(JSON.parse(row.json)));
      const params = [json, ...key.map((name) => row[name] as string | number)];
      steps.push({ sql: `update ${table} set ${column} = $1 where ${isRow}`, params });
    }
  }
  return steps;
}

/** Removes one mark from each marked key: a client's own key that began with the character has a second one. */
function withoutMarks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutMarks);
  const entries = Object.entries(value).map(([key, item]) => [
    key.startsWith(MARK) ? key.slice(1) : key,
    withoutMarks(item),
  ]);
  return Object.fromEntries(entries);
}
