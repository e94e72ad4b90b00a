/** The tables of decisions in the records, for copies of all tables. */
export const TABLES = { live: 'decisions', test: 'test_decisions' } as const;
