/** The properties of decisions and of warnings again, with more random cases than `npm test` has time for. */
process.env.CASES = '100000';
await import('../../src/rules/decide.test.ts');
process.env.CASES = '1000';
await import('../../src/rules/lint/properties.test.ts');
