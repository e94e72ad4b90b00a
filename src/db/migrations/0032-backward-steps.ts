/**
 * Where time went back on SQLite, whose decisions are otherwise in the order of time: the numbers of the first
 * decisions after it.
 */
export const BACKWARD_STEPS: readonly string[] = [
  'create table backward_steps (seq {{key}})',
  'create table test_backward_steps (seq {{key}})',
];
