/** When a record was changed, as the header `Last-Modified` says it. */
export interface Modified {
  /** The second after the change, epoch ms: another change in the second of the first would otherwise go unnoticed. */
  after: number;
  /** The header until that second has come, and since. */
  early: string;
  late: string;
}

const SECOND = 1000;

export function toModified(modifiedAt: number): Modified {
  const second = modifiedAt - (modifiedAt % SECOND);
  const after = second + SECOND;
  return { after, early: new Date(second).toUTCString(), late: new Date(after).toUTCString() };
}
