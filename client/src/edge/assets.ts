/**
 * Styles, scripts and fonts, served without asking where the options say so. Promise: nothing else passes for one of
 * them: neither by a path that some server reads as another one, nor by a page that is served at such a path.
 */
import { isRead, toPlainPath, VERSION } from './site-files.ts';
import type { Visit } from './visit.ts';

export interface Assets {
  /** Tests for the path of an asset that no server reads as another one. */
  isNamed(visit: Visit): boolean;
  /** Tests for the answer with an asset: a path says little of what is served there. */
  isServed(response: Response): boolean;
}

const NAME = /\.(?:css|m?js|woff2?|ttf|otf|eot)$/;
const TYPE = /^(?:text\/css|(?:text|application)\/(?:x-)?(?:java|ecma)script|font\/|application\/(?:x-)?font)/;

export const assets: Assets = {
  isNamed: ({ method, path, search }) => isRead(method) && VERSION.test(search) && NAME.test(toPlainPath(path) ?? ''),
  isServed: ({ status, headers }) => status === 304 || (status === 200 && TYPE.test(headers.get('content-type') ?? '')),
};
