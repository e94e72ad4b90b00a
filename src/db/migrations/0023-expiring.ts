/** When the end of a license is announced next, ahead of it. */
export const EXPIRING: readonly string[] = [
  // Null: no more. 0: not computed yet, as for licenses that earlier versions wrote.
  'alter table licenses add column expiring_due bigint default 0',
  'create index licenses_expiring on licenses (expiring_due)',
];
