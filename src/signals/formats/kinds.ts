/** The kinds of signals: one row for each. Routes, files and the report follow from it. */
import { toLicenseUrl, toNotice } from '../../content/sites/notice.ts';
import type { BaseContradiction } from '../robots/base-contradictions.ts';
import { renderRobots } from '../robots/robots.ts';
import type { Inexpressible, Table } from '../table/table.ts';
import { MEDIA_TYPES } from '../table/words.ts';
import { renderHeaders } from './page-headers.ts';
import { type PublishedLicense, renderRsl } from './rsl.ts';
import { renderTdmPolicies, renderTdmrep } from './tdmrep.ts';

export interface Rendering {
  text: string;
  cannotExpress: readonly Inexpressible[];
  /** Why it is not served; null: it is. */
  refusal: string | null;
  /** Lines of the site's own file that say something else than the policies. */
  baseContradicts?: readonly BaseContradiction[];
  /** The licenses that the license server gives tokens for. */
  licenses?: readonly PublishedLicense[];
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

const licenses = new WeakMap<Table, Rendering>();

/** Rendered once: robots.txt names it only if there is one. */
function renderLicense(table: Table): Rendering | null {
  if (!table.site.signals.license) return null;
  const rendering = licenses.get(table) ?? renderRsl(table);
  licenses.set(table, rendering);
  return rendering;
}

const announcedLicenseUrl = (table: Table): string | null =>
  renderLicense(table)?.refusal === null ? toLicenseUrl(table) : null;

export const SIGNALS = {
  'robots.txt': {
    type: MEDIA_TYPES.robots,
    doc: 'The groups of robots.txt (RFC 9309), with `Content-Signal` and `License`',
    path: '/robots.txt',
    render: (table) => (table.site.signals.robots === 'off' ? null : renderRobots(table, announcedLicenseUrl(table))),
  },
  'license.xml': {
    type: MEDIA_TYPES.rsl,
    doc: 'What is permitted, and at which price (RSL 1.0)',
    path: '/license.xml',
    render: renderLicense,
  },
  'tdmrep.json': {
    type: MEDIA_TYPES.json,
    doc: 'Where text and data mining is reserved (TDMRep)',
    path: '/.well-known/tdmrep.json',
    render: (table) => (table.site.signals.tdmrep ? renderTdmrep(table) : null),
  },
  'tdm-policy': {
    type: MEDIA_TYPES.odrl,
    doc: 'The policies of reserved collections (ODRL), as a list; `collectionId`: one of them',
    path: null,
    render: (table) => (table.site.signals.tdmrep ? renderTdmPolicies(table) : null),
  },
  headers: {
    type: MEDIA_TYPES.json,
    doc: 'The headers of allowed pages, as `/v1/authorize` answers them. The first entry whose `location` matches holds',
    path: null,
    render: (table) => renderHeaders(table, toNotice(table.site).link),
  },
} as const satisfies Readonly<Record<string, Signal>>;

export type SignalKind = keyof typeof SIGNALS;
export const SIGNAL_KINDS = Object.keys(SIGNALS) as SignalKind[];
