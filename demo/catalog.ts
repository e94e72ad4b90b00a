/**
 * A real catalog: the MDN articles that @mdn/browser-compat-data lists, the brand icons of simple-icons and the data
 * sets of vega-datasets, with the licenses that these packages state. Only the requests are invented.
 */
import { readFileSync } from 'node:fs';
import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import icons from 'simple-icons/icons.json' with { type: 'json' };
import { seeded, shuffled } from '../kit/random.ts';
import type { PolicyName } from './policies.ts';

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
  /** The publisher has withdrawn it. */
  archived: boolean;
}

/** Returns the most popular items of each type first; the traffic relies on this order. */
export function readCatalog(size = Number.POSITIVE_INFINITY): Listed[] {
  const random = seeded(7);
  const lists = [readArticles(), readIcons(), readDatasets()].map((list) => byFame(shuffled(list, random)));
  const share = Math.min(1, size / lists.flat().length);
  return lists.flatMap((list) => list.slice(0, Math.max(1, Math.round(list.length * share))));
}

/** Items that many people have looked up. */
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
  const order = new Map(FAMOUS.map((externalId, i) => [externalId, i]));
  const rank = ({ item }: Listed): number => order.get(item.externalId) ?? FAMOUS.length;
  return list.toSorted((a, b) => rank(a) - rank(b));
}

interface Compat {
  mdn_url?: string;
  spec_url?: string | string[];
  status?: { deprecated: boolean; experimental: boolean; standard_track: boolean };
}

interface CompatNode {
  __compat?: Compat;
}

const MDN = 'https://developer.mozilla.org/docs/';
/** A publisher archives some articles: here, those on deprecated features that were never a standard. */
const ARCHIVED_MAX = 40;

function readArticles(): Listed[] {
  const found = new Map<string, Listed>();
  let archived = 0;
  for (const [path, compat] of features()) {
    // A fragment is a section of an article that is listed by itself.
    const [url = ''] = compat.mdn_url?.split('#', 1) ?? [];
    if (!url.startsWith(MDN) || found.has(url)) continue;
    const isArchived = isDead(compat) && archived < ARCHIVED_MAX;
    if (isArchived) archived++;
    found.set(url, { ...toArticle(url, path, compat), archived: isArchived });
  }
  return [...found.values()];
}

const isDead = ({ status }: Compat): boolean => status?.deprecated === true && !status.standard_track;

/** Yields every feature with its path, such as `css.properties.display`. */
function* features(): Generator<[path: string, compat: Compat]> {
  function* walk(node: CompatNode, path: string): Generator<[string, Compat]> {
    const { __compat: compat } = node;
    if (compat !== undefined) yield [path, compat];
    for (const [key, child] of Object.entries(node)) {
      if (key !== '__compat') yield* walk(child as CompatNode, path === '' ? key : `${path}.${key}`);
    }
  }
  const { __meta, browsers, ...areas } = bcd as unknown as Record<string, CompatNode>;
  yield* walk(areas, '');
}

function toArticle(url: string, path: string, { spec_url: spec, status }: Compat): Omit<Listed, 'archived'> {
  const area = path.split('.', 1)[0] as string;
  const page = decodeURIComponent(url.slice(MDN.length));
  const tags = [area];
  if (status?.deprecated === true) tags.push('deprecated');
  if (status?.experimental === true) tags.push('experimental');
  if (status?.standard_track === true) tags.push('standard');
  return {
    item: {
      externalId: `mdn/${page}`,
      title: titleOf(page),
      type: 'article',
      source: url,
      tags,
      metadata: { license: 'CC-BY-SA-2.5', feature: path, specification: [spec ?? []].flat() },
    },
    policy: articlePolicy(area),
  };
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
/** Parts of a path that are sections, not names. */
const SECTION_PARTS = new Set(
  'Web JavaScript Reference Global_Objects API CSS HTML HTTP SVG MathML WebDriver WebAssembly Mozilla Add-ons WebExtensions Properties Elements Headers Statements Operators'.split(
    ' ',
  ),
);

/** Sections in which a slash in the path is a dot in code. */
const DOTTED = new Set(['JavaScript', 'Web API', 'WebExtensions']);

/** `Web/API/AbortSignal/abort_event` → `AbortSignal.abort event (Web API)`. */
function titleOf(page: string): string {
  const section = SECTIONS.find(([pattern]) => pattern.test(page))?.[1] ?? '';
  const parts = page.split('/').filter((part, i, all) => i === all.length - 1 || !SECTION_PARTS.has(part));
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
    // Non-commercial, no-derivatives and custom terms count as reserved.
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
  // The package exports only its code; the description of its data is beside it.
  const file = new URL('../datapackage.json', import.meta.resolve('vega-datasets'));
  const { version, resources } = JSON.parse(readFileSync(file, 'utf8')) as { version: string; resources: Resource[] };
  return resources.map((resource) => toDataset(resource, version));
}

function toDataset(resource: Resource, version: string): Listed {
  const { name, path, mediatype, format, bytes, description, licenses = [], sources = [] } = resource;
  const terms = licenses.map((license) => license.title ?? license.name ?? license.path).filter(Boolean) as string[];
  const isImage = mediatype?.startsWith('image/') === true;
  const free = terms.length > 0 && terms.every((text) => FREE.test(text));
  const metadata = {
    licenses: terms.length > 0 ? terms : ['unstated'],
    sources: sources.map((source) => source.title ?? source.path ?? ''),
    format,
    bytes,
    description: description?.slice(0, 1000),
  };
  return {
    item: {
      externalId: `data/${path}`,
      title: `${name.replaceAll('_', ' ')} (${isImage ? 'image' : 'data set'})`,
      type: isImage ? 'image' : 'dataset',
      source: `https://cdn.jsdelivr.net/npm/vega-datasets@${version}/data/${path}`,
      tags: [isImage ? 'icon' : 'data', free ? 'public-domain' : 'terms-apply'],
      metadata,
    },
    policy: isImage ? 'brandImages' : 'researchData',
    archived: false,
  };
}

const FREE = /public domain|government dataset|usa\.gov|cc0|creative commons zero/i;
