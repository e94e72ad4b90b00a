/**
 * A real catalogue: the MDN articles that @mdn/browser-compat-data names, the brand icons of simple-icons and the data sets
 * of vega-datasets, with the licences these packages state. Only what they say is passed on; who asks for it is invented.
 */
import { readFileSync } from 'node:fs';
import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import icons from 'simple-icons/icons.json' with { type: 'json' };
import type { PolicyName } from './policies.ts';
import { seeded, shuffled } from './random.ts';

export interface Item {
  externalId: string;
  title: string;
  type: 'article' | 'image' | 'dataset';
  source: string;
  tags: string[];
  metadata: Record<string, unknown>;
}

export interface Listed {
  item: Item;
  policy: PolicyName;
  /** Withdrawn by the publisher. */
  archived: boolean;
}

/** The most asked-for first within each type, which makes popularity a matter of place. */
export function readCatalogue(size = Number.POSITIVE_INFINITY): Listed[] {
  const random = seeded(7);
  const lists = [readArticles(), readIcons(), readDatasets()].map((list) => byFame(shuffled(list, random)));
  const share = Math.min(1, size / lists.flat().length);
  return lists.flatMap((list) => list.slice(0, Math.max(1, Math.round(list.length * share))));
}

/** What many have looked up. */
const FAMOUS = [
  'mdn/Web/JavaScript/Reference/Global_Objects/Array/map',
  'mdn/Web/API/Window/fetch',
  'mdn/Web/JavaScript/Reference/Global_Objects/Promise',
  'mdn/Web/CSS/Reference/Properties/display',
  'mdn/Web/API/EventTarget/addEventListener',
  'mdn/Web/JavaScript/Reference/Global_Objects/Array/reduce',
  'mdn/Web/CSS/Reference/Properties/position',
  'mdn/Web/HTTP/Reference/Headers/Cache-Control',
  'mdn/Web/HTML/Reference/Elements/input',
  'mdn/Web/API/Document/querySelector',
  'mdn/Web/JavaScript/Reference/Statements/async_function',
  'mdn/Web/CSS/Reference/Properties/grid-template-columns',
  'mdn/Web/HTML/Reference/Elements/a',
  'mdn/Web/API/Window/localStorage',
  'mdn/WebAssembly/Reference/Control_flow/loop',
  'icon/github',
  'icon/typescript',
  'icon/youtube',
  'icon/react',
  'icon/python',
  'icon/nodedotjs',
  'icon/docker',
  'icon/mdnwebdocs',
  'data/movies.json',
  'data/penguins.json',
  'data/airports.csv',
  'data/us-10m.json',
];

function byFame(list: Listed[]): Listed[] {
  const place = new Map(FAMOUS.map((externalId, i) => [externalId, i]));
  const rank = ({ item }: Listed): number => place.get(item.externalId) ?? FAMOUS.length;
  return list.sort((a, b) => rank(a) - rank(b));
}

interface CompatNode {
  __compat?: {
    mdn_url?: string;
    spec_url?: string | string[];
    status?: { deprecated: boolean; experimental: boolean; standard_track: boolean };
  };
}

const MDN = 'https://developer.mozilla.org/docs/';
/** Articles on what was given up and never was a standard are withdrawn; a publisher does that to a few. */
const ARCHIVED_MAX = 40;

function readArticles(): Listed[] {
  const found = new Map<string, Listed>();
  let archived = 0;
  function walk(node: CompatNode, path: string): void {
    const { __compat: compat } = node;
    // A fragment is a section of an article that is named elsewhere.
    const [url = ''] = compat?.mdn_url?.split('#', 1) ?? [];
    if (compat !== undefined && url.startsWith(MDN) && !found.has(url)) {
      const { deprecated = false, experimental = false, standard_track: standard = false } = compat.status ?? {};
      const area = path.split('.', 1)[0] as string;
      const page = decodeURIComponent(url.slice(MDN.length));
      const gone = deprecated && !standard && archived < ARCHIVED_MAX;
      if (gone) archived++;
      const tags = [area];
      if (deprecated) tags.push('deprecated');
      if (experimental) tags.push('experimental');
      if (standard) tags.push('standard');
      found.set(url, {
        item: {
          externalId: `mdn/${page}`,
          title: titleOf(page),
          type: 'article',
          source: url,
          tags,
          metadata: { license: 'CC-BY-SA-2.5', feature: path, specification: [compat.spec_url ?? []].flat() },
        },
        policy: articlePolicy(area),
        archived: gone,
      });
    }
    for (const [key, child] of Object.entries(node)) {
      if (key !== '__compat') walk(child as CompatNode, path === '' ? key : `${path}.${key}`);
    }
  }
  const { __meta, browsers, ...features } = bcd as unknown as Record<string, CompatNode>;
  walk(features, '');
  return [...found.values()];
}

function articlePolicy(area: string): PolicyName {
  if (area === 'webassembly') return 'embargoed';
  return area === 'api' || area === 'javascript' ? 'licensedReference' : 'openArticles';
}

const SECTIONS: [RegExp, string][] = [
  [/^Web\/JavaScript\//, 'JavaScript'],
  [/^Web\/API\//, 'Web API'],
  [/^Web\/CSS\//, 'CSS'],
  [/^Web\/HTML\//, 'HTML'],
  [/^Web\/HTTP\//, 'HTTP'],
  [/^Web\/SVG\//, 'SVG'],
  [/^Web\/MathML\//, 'MathML'],
  [/^Web\/WebDriver\//, 'WebDriver'],
  [/^WebAssembly\//, 'WebAssembly'],
  [/^Mozilla\/Add-ons\/WebExtensions\//, 'WebExtensions'],
];
/** Shelves of the library rather than names of things. */
const SHELVES = new Set(
  'Web JavaScript Reference Global_Objects API CSS HTML HTTP SVG MathML WebDriver WebAssembly Mozilla Add-ons WebExtensions Properties Elements Headers Statements Operators'.split(
    ' ',
  ),
);

/** Where a slash in the path is a dot in the code. */
const DOTTED = new Set(['JavaScript', 'Web API', 'WebExtensions']);

/** `Web/API/AbortSignal/abort_event` → `AbortSignal.abort event (Web API)`. */
function titleOf(page: string): string {
  const section = SECTIONS.find(([pattern]) => pattern.test(page))?.[1] ?? '';
  const parts = page.split('/').filter((part, i, all) => i === all.length - 1 || !SHELVES.has(part));
  const name = parts.join(DOTTED.has(section) ? '.' : ': ').replaceAll('_', ' ');
  const shown = page.includes('/Reference/Elements/') ? `<${name}>` : name;
  return section === '' ? shown : `${shown} (${section})`;
}

interface Icon {
  title: string;
  slug: string;
  hex: string;
  source: string;
  guidelines?: string;
  license?: { type: string; url?: string };
}

function readIcons(): Listed[] {
  return (icons as Icon[]).map(({ title, slug, hex, source, guidelines, license }) => {
    const terms = license?.type ?? 'unstated';
    // Everything but plain permission is treated as reserved: non-commercial, no derivatives, the owner's own terms.
    const open = license !== undefined && terms !== 'custom' && !/-NC|-ND/.test(terms);
    return {
      item: {
        externalId: `icon/${slug}`,
        title: `${title} icon`,
        type: 'image',
        source,
        tags: ['icon', open ? 'open-license' : 'reserved'],
        metadata: {
          license: terms,
          ...(license?.url === undefined ? {} : { licenseUrl: license.url }),
          ...(guidelines === undefined ? {} : { guidelines }),
          color: `#${hex}`,
          file: `icons/${slug}.svg`,
        },
      },
      policy: open ? 'openImages' : 'brandImages',
      archived: false,
    } satisfies Listed;
  });
}

interface Resource {
  name: string;
  path: string;
  mediatype?: string;
  format?: string;
  bytes?: number;
  description?: string;
  licenses?: { title?: string; name?: string; path?: string }[];
  sources?: { title?: string; path?: string }[];
}

function readDatasets(): Listed[] {
  // The package exports its code only; the description of its data lies beside it.
  const file = new URL('../datapackage.json', import.meta.resolve('vega-datasets'));
  const { version, resources } = JSON.parse(readFileSync(file, 'utf8')) as { version: string; resources: Resource[] };
  return resources.map(({ name, path, mediatype, format, bytes, description, licenses = [], sources = [] }) => {
    const terms = licenses
      .map((license) => license.title ?? license.name ?? license.path ?? '')
      .filter((text) => text !== '');
    const isImage = mediatype?.startsWith('image/') === true;
    const free = terms.length > 0 && terms.every((text) => FREE.test(text));
    return {
      item: {
        externalId: `data/${path}`,
        title: `${name.replaceAll('_', ' ')} (${isImage ? 'image' : 'data set'})`,
        type: isImage ? 'image' : 'dataset',
        source: `https://cdn.jsdelivr.net/npm/vega-datasets@${version}/data/${path}`,
        tags: [isImage ? 'icon' : 'data', free ? 'public-domain' : 'terms-apply'],
        metadata: {
          licenses: terms.length > 0 ? terms : ['unstated'],
          sources: sources.map((source) => source.title ?? source.path ?? ''),
          ...(format === undefined ? {} : { format }),
          ...(bytes === undefined ? {} : { bytes }),
          ...(description === undefined ? {} : { description: description.slice(0, 1000) }),
        },
      },
      policy: isImage ? 'brandImages' : 'researchData',
      archived: false,
    } satisfies Listed;
  });
}

const FREE = /public domain|government dataset|usa\.gov|cc0|creative commons zero/i;
