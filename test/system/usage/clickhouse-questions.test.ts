/** The tests of the columns, once more with the columns in ClickHouse: the same promises, on the same questions. */
process.env.POSTERN_TEST_COLUMNS = 'clickhouse';
await import('./columns.test.ts');
await import('../../usage/postgres.test.ts');
await import('../../usage/programs.test.ts');
await import('../../usage/report.test.ts');
