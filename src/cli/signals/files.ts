/** The kinds of files of a site, each with the way to read it from the service. */
import type { Postern } from '../../../client/src/client.ts';

interface Kind {
  /** Its place below the root of the site; null: one file for each policy; undefined: no file of the site. */
  path: string | null | undefined;
  read(postern: Postern, host: string, query: { asOf?: string | undefined }): Promise<string>;
}

export const FILES = {
  'robots.txt': {
    path: 'robots.txt',
    read: (postern, host, query) => postern.getRobotsTxtSignal(host, query),
  },
  'license.xml': {
    path: 'license.xml',
    read: (postern, host, query) => postern.getLicenseXmlSignal(host, query),
  },
  'tdmrep.json': {
    path: '.well-known/tdmrep.json',
    read: (postern, host, query) => postern.getTdmrepJsonSignal(host, query),
  },
  'tdm-policy': {
    path: null,
    read: (postern, host, query) => postern.getTdmPolicySignal(host, query),
  },
  headers: {
    path: undefined,
    read: (postern, host, query) => postern.getHeadersSignal(host, query),
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FileKind = keyof typeof FILES;
