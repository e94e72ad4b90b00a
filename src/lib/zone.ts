/** Names of time zones. */

/** Temporal would also accept offsets, whose clocks never change, and whole date-times. */
export const hasZoneForm = (name: string): boolean => /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(name);
