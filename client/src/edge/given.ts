/** Returns the entries that have a value: an explicit undefined does not hide a default, and is no field of JSON. */
export const given = <T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as never;
