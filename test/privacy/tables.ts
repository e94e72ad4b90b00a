/** The tables of the records, as the database itself lists them. */
import { type TestService, testEngine } from '../../kit/service.ts';

interface SqliteColumn {
  tbl_name: string;
  name: string;
  type: string;
}

interface PostgresColumn {
  table_name: string;
  column_name: string;
  data_type: string;
}

/** Returns the tables, each with its columns of text. */
export async function tablesOf(postern: TestService): Promise<Map<string, string[]>> {
  const columns =
    testEngine() === 'sqlite'
      ? (
          (await postern.rowsOf(
            `sqlite_master as m join pragma_table_info(m.name) as c where m.type = 'table' and m.name not like 'sqlite_%'`,
          )) as SqliteColumn[]
        ).map((one) => ({ table: one.tbl_name, column: one.name, isText: one.type.toLowerCase() === 'text' }))
      : ((await postern.rowsOf(`information_schema.columns where table_schema = 'public'`)) as PostgresColumn[]).map(
          (one) => ({ table: one.table_name, column: one.column_name, isText: one.data_type === 'text' }),
        );
  const tables = new Map<string, string[]>();
  for (const { table, column, isText } of columns) {
    const texts = tables.get(table) ?? [];
    if (isText) texts.push(column);
    tables.set(table, texts);
  }
  return tables;
}
