/**
 * Denials for want of a license: by whom, in which collection, for which purpose, and of which license. Promise: exact,
 * and a walk through the pages counts the same decisions on each page.
 */
import { parseWanted } from '../../ledger/codes.ts';
import { readParts } from './demand-parts.ts';
import type { Demand, DemandKey, DemandParts, DemandQuery } from './demand-query.ts';
import { type DemandDimension, type DemandSort, SEPARATOR } from './dimensions.ts';
import { groupsSql, namesSql } from './groups.ts';
import { type RowPage, readPage, readUpTo, searchTerm, upToTerm } from './list-page.ts';
import type { SqlReader } from './reader.ts';
import { integer, select, text } from './sql.ts';
import { nameSql, requesterSql, toVisitor } from './who.ts';

const VALUES: Record<DemandSort, string> = {
  denied: 'denied',
  change: 'denied - previous',
  lastSeen: 'last',
};

type Numbers = Record<`n${number}`, number>;
type DemandRow = Omit<Demand, keyof DemandParts | 'key'> & Numbers;

export function answerDemand(reader: SqlReader, query: DemandQuery): Promise<RowPage<Demand>> {
  return reader.inSnapshot(async () => {
    const upTo = await readUpTo(reader, query.after);
    const { from, to, by } = query;
    const ever = await selectDenials(reader, query);
    const denials = `${ever} and decided_at < ${integer(to)}`;
    const now = `decided_at >= ${integer(from)}`;
    const grouped = groupsSql({
      from: `${denials} and decided_at >= ${integer(from - (to - from))}`,
      by,
      counts: {
        denied: `count(*) filter (where ${now})`,
        previous: `count(*) filter (where not (${now}))`,
        uniqueContent: `count(distinct content) filter (where ${now} and content <> 0)`,
        last: 'max(decided_at)',
      },
      where: 'denied > 0',
    });
    const { joins, texts } = namesSql(by, 'counted');
    const registered = texts[by.indexOf('requester')] ?? requesterSql(texts[by.indexOf('who')]);
    const name = registered === undefined ? "nullif('', '') as name" : 'registered.name';
    const { totalCount, rows } = await readPage<DemandRow>(
      reader,
      `with counted as (${grouped}), named as (
         select counted.*, ${toId(texts)} as id, ${toId(texts.map((one, i) => (by[i] === 'who' ? nameSql(one) : one)))} as sought, ${name}
         from counted ${joins} ${registered === undefined ? '' : `left join registered on registered.id = ${registered}`}
       )
       select *, last as "lastSeen", ${VALUES[query.sort]} as value from named where ${await searchTerm(reader, query.q, 'sought')}`,
      query,
    );
    const keys = rows.map((row) => by.map((_, i) => Number(row[`n${i}`])));
    const parts = await readParts(reader, { denials, ever, now, keys }, query);
    return {
      upTo,
      totalCount,
      rows: rows.map(({ id, name: given, denied, previous, uniqueContent, lastSeen, value }, i) => ({
        ...(parts[i] as DemandParts),
        id,
        key: toKey(by, id),
        name: given,
        denied,
        previous,
        uniqueContent,
        lastSeen,
        value,
      })),
    };
  });
}

const toId = (texts: readonly string[]): string =>
  texts.map((one) => `coalesce(${one}, '')`).join(` || ${text(SEPARATOR)} || `);

function toKey(by: readonly DemandDimension[], id: string): DemandKey {
  const texts = id.split(SEPARATOR);
  const pickText = (dimension: DemandDimension): string | null => texts[by.indexOf(dimension)] || null;
  const visitor = toVisitor(pickText('who'));
  return {
    requester: pickText('requester') ?? (visitor.kind === 'requester' ? visitor.id : null),
    who: visitor,
    crawler: pickText('crawler'),
    collection: pickText('collection'),
    purpose: pickText('purpose'),
    licenseType: pickText('licenseType'),
  };
}

/** Returns `from … where …` of the denials of all times. */
async function selectDenials(reader: SqlReader, query: DemandQuery): Promise<string> {
  const { filter, reasons, licenseType, after } = query;
  const from = await select(reader, filter);
  const wanted = licenseType === undefined ? '' : ` and ${await wantedTerm(reader, licenseType)}`;
  return `${from} and reason in (${reasons.map(integer).join(', ')})${wanted}${upToTerm(after)}`;
}

async function wantedTerm(reader: SqlReader, licenseType: string): Promise<string> {
  const [numbers = [], texts = []] = await reader.columns('select number, id from wanted');
  const matching = numbers.filter((_, i) => parseWanted(texts[i] as string).types?.includes(licenseType) ?? true);
  return matching.length === 0
    ? 'false'
    : `wanted in (${matching.map((number) => integer(number as number)).join(', ')})`;
}
