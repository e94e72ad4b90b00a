/** The kinds of signals: one row for each. Routes, files and the report follow from it. */

import { renderRobots } from './robots.ts';
import type { Inexpressible, Table } from './table.ts';
import { MEDIA_TYPES } from './words.ts';

export interface Rendering {
  text: string;
  cannotExpress: readonly Inexpressible[];
  /** Why it is not served; null: it is. */
  refusal: string | null;
}

export interface Signal {
  /** The Content-Type of the file. */
  type: string;
  doc: string;
  /** Its path on the site; null: it is no file of the site. */
  path: string | null;
  /** Pure. Returns null where the site has it switched off. */
  render(table: Table): Rendering | null;
}

/** The URL of license.xml on the site; null: switched off. */
export const licenseUrlOf = ({ host, site }: Pick<Table, 'host' | 'site'>): string | null =>
  site.signals.license ? `https://${host}/license.xml` : null;

export const SIGNALS = {
  'robots.txt': {
    type: MEDIA_TYPES.robots,
    doc: 'The groups of robots.txt (RFC 9309), with `Content-Signal` and `License`',
    path: '/robots.txt',
    render: (table) => (table.site.signals.robots === 'off' ? null : renderRobots(table, licenseUrlOf(table))),
  },
} as const satisfies Readonly<Record<string, Signal>>;

export type SignalKind = keyof typeof SIGNALS;
export const SIGNAL_KINDS = Object.keys(SIGNALS) as SignalKind[];
