/**
 * Registers and edits requesters from CSV. Promises: with a bad line nothing is written, repeating an import changes
 * nothing, and registered requesters change only where the caller says so. It makes no license, token or identity.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Change, Edit } from '../api/changes/change.ts';
import { Failure, invalid } from '../api/errors.ts';
import type { Db } from '../db/db.ts';
import { columnKey, fitted } from '../lib/csv.ts';
import { fromCsvCell } from '../lib/csv-cell.ts';
import { lineFault, PROBLEMS_MAX, readHeading, tableRecords, UnreadableCsv } from '../lib/csv-table.ts';
import type { Problem } from '../lib/refined.ts';
import { mapInSlices } from '../lib/slices.ts';
import { newRequester, planUpdate, requireNotErasing, requireUsableId } from './edits.ts';
import type { Requester } from './requester.ts';
import { type CreateRequester, requesterAnswer } from './schema.ts';
import { findEach, insertRequester } from './store.ts';

const ROWS_MAX = 1_000;
const COLUMNS = ['id', 'name', 'type', 'tags', 'userAgents', 'contactName', 'email', 'billingAddress'] as const;
type Column = (typeof COLUMNS)[number];
const SPELLINGS = new Map<string, Column>(COLUMNS.map((name) => [columnKey(name), name]));
const LISTS: ReadonlySet<Column> = new Set(['tags', 'userAgents']);
const LIST_SEPARATOR = '|';

/** A requester as a line describes it; empty cells are absent. */
interface Line {
  line: number;
  body: CreateRequester;
}

/** Throws invalid_request for a body that is no requester. */
type Validate = (body: unknown) => CreateRequester;

/** Throws invalid_request with a problem for each bad line. */
export async function readLines(csv: string, validate: Validate): Promise<Line[]> {
  try {
    return await readTable(csv, validate);
  } catch (error) {
    throw error instanceof UnreadableCsv ? invalid(error.problems) : error;
  }
}

async function readTable(csv: string, validate: Validate): Promise<Line[]> {
  const problems: Problem[] = [];
  const lines: Line[] = [];
  let columns: Column[] | undefined;
  for await (const { cells, line } of tableRecords(csv)) {
    if (columns === undefined) {
      columns = readHeading({ cells: [...fitted(cells, 0)], line }, SPELLINGS);
      continue;
    }
    if (lines.length === ROWS_MAX) throw new UnreadableCsv([lineFault(line, `an import has ${ROWS_MAX} rows at most`)]);
    const body = toBody(columns, fitted(cells, columns.length));
    const faults = findFaults(body, validate);
    problems.push(...faults.map((message) => ({ param: `line ${line}`, message: `Line ${line}: ${message}` })));
    lines.push({ line, body: body as CreateRequester });
    if (problems.length >= PROBLEMS_MAX) break;
  }
  if (problems.length === 0) problems.push(...findRepeats(lines));
  if (lines.length === 0) problems.push(lineFault(1, 'no rows follow; begin with a row of column names'));
  if (problems.length > 0) throw invalid(problems.slice(0, PROBLEMS_MAX));
  return lines;
}

/** Returns the fields, or the fault. */
function toBody(columns: readonly Column[], cells: readonly string[]): Partial<CreateRequester> | string {
  if (cells.length !== columns.length) return `${cells.length} cells in a table of ${columns.length} columns.`;
  const given = columns.map((column, i) => [column, readCell(cells[i] as string)] as const);
  return Object.fromEntries(
    given.filter(([, cell]) => cell !== '').map(([column, cell]) => [column, LISTS.has(column) ? toList(cell) : cell]),
  );
}

const readCell = (cell: string): string => fromCsvCell(cell.replaceAll('\r\n', '\n').trim());

const toList = (cell: string): string[] =>
  cell
    .split(LIST_SEPARATOR)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function findFaults(body: Partial<CreateRequester> | string, validate: Validate): string[] {
  if (typeof body === 'string') return [body];
  if (body.id === undefined && body.name === undefined) return ['an `id` or a `name` is missing.'];
  try {
    requireUsableId(validate(body).id ?? '');
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return (error.details ?? [error]).map(({ message }) => message);
  }
}

/** Each requester is in one line: found by its id, or by its name alone. */
function findRepeats(lines: readonly Line[]): Problem[] {
  const first = new Map<string, number>();
  return lines.flatMap(({ line, body: { id, name } }) => {
    const key = id === undefined ? `name ${name}` : `id ${id}`;
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    return before === undefined
      ? []
      : [lineFault(line, `line ${before} has the same ${id === undefined ? 'name' : 'id'}`)];
  });
}

type Outcome = 'created' | 'updated' | 'unchanged';

interface Manner {
  at: number;
  /** Only returns the outcome that an import would have. */
  isDry: boolean;
  /** Without it, a line that would change a registered requester is refused. */
  mayUpdate: boolean;
}

/** Throws invalid_request and requester_exists. */
export async function planImport(db: Db, lines: readonly Line[], { at, isDry, mayUpdate }: Manner): Promise<Edit> {
  const planned = await planLines(db, lines, at);
  const refused = planned.filter(({ outcome }) => outcome === 'updated' && !mayUpdate);
  if (refused.length > 0) throw invalid(refused.slice(0, PROBLEMS_MAX).map(updateFault));
  await requireNotErasing(
    db,
    planned.filter(({ outcome }) => outcome === 'created').map(({ id }) => id),
  );
  const kept = isDry ? [] : planned;
  const count = (outcome: Outcome): number => planned.filter((one) => one.outcome === outcome).length;
  return {
    steps: kept.flatMap(({ steps }) => steps),
    changes: kept.flatMap(({ changes }) => changes),
    status: 200,
    body: {
      object: 'requester_import',
      dryRun: isDry,
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      requesters: planned.map(({ line, id, name, outcome, changed, isNamed }) => ({
        line,
        // A try generates no id that a later import has.
        id: isDry && !isNamed ? null : id,
        name,
        outcome,
        changed,
      })),
    },
  };
}

interface Planned extends Pick<Edit, 'steps' | 'changes'> {
  line: number;
  id: string;
  name: string;
  outcome: Outcome;
  /** The fields of a registered requester that change. */
  changed: string[];
  /** The id is the file's or the store's, and not a new one. */
  isNamed: boolean;
}

async function planLines(db: Db, lines: readonly Line[], at: number): Promise<Planned[]> {
  const ids = lines.flatMap(({ body: { id } }) => id ?? []);
  const names = lines.flatMap(({ body: { id, name } }) => (id === undefined ? (name ?? []) : []));
  const stored = await findEach(db, ids, names);
  const problems: Problem[] = [];
  const meant = new Map<string, number>();
  const planned = await mapInSlices(lines, ({ line, body }) => {
    const found = stored.filter(({ id, name }) => (body.id === undefined ? name === body.name : id === body.id));
    const [before] = found;
    if (before === undefined) return planNew(line, body, at);
    const other = meant.get(before.id);
    meant.set(before.id, line);
    if (found.length > 1) problems.push(lineFault(line, `${found.length} requesters have this name; give an id`));
    if (other !== undefined) problems.push(lineFault(line, `line ${other} is about ${before.id}, too`));
    return planKnown(line, body, before, at);
  });
  if (problems.length > 0) throw invalid(problems.slice(0, PROBLEMS_MAX));
  return planned;
}

function planNew(line: number, body: CreateRequester, at: number): Planned {
  const requester = newRequester(body, at);
  const { id, name } = requester;
  const changes: Change[] = [{ kind: 'requester.created', id, object: requesterAnswer(requester) }];
  return {
    line,
    id,
    name,
    outcome: 'created',
    changed: [],
    isNamed: body.id !== undefined,
    steps: insertRequester(requester),
    changes,
  };
}

function planKnown(line: number, { id: _, ...fields }: CreateRequester, before: Requester, at: number): Planned {
  const { steps, changes } = planUpdate(before, fields, at);
  const { id, name } = before;
  const changed = steps.length === 0 ? [] : Object.keys(fields).filter((field) => isChanged(fields, before, field));
  const outcome = steps.length === 0 ? 'unchanged' : 'updated';
  return { line, id, name: fields.name ?? name, outcome, changed, isNamed: true, steps, changes };
}

const isChanged = (fields: object, before: object, field: string): boolean =>
  !isDeepStrictEqual(fields[field as never], before[field as never]);

const updateFault = ({ line, id, changed }: Planned): Problem =>
  lineFault(line, `${id} is registered with another ${changed.join(', ')}; changing it needs \`update\``);
