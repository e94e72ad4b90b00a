/** Returns whether the records are at a PostgreSQL URL, rather than in a SQLite file. */
export const isPostgresUrl = (records: string): boolean => /^postgres(ql)?:\/\//.test(records);
