/**
 * The report of an audit as one HTML page for people who did not run it. It loads nothing, runs no script, and all
 * text of the log is escaped.
 */

import { counted } from '../../src/cli/terminal.ts';
import { CRAWLER_PURPOSES, type CrawlerPurpose } from '../../src/rules/crawlers/crawler.ts';
import { REASONS, type Reason } from '../../src/rules/reason.ts';
import { barsHtml, daysSvg, escape, type Html, number, type TableCell, tableHtml } from './page.ts';
import type { AuditReport, CrawlerTraffic, Traffic } from './report.ts';
import { STYLE } from './style.ts';
import { percent, programRequestsText, ratioText, sizeText, urlsText } from './text.ts';

const AI: readonly CrawlerPurpose[] = ['training', 'search', 'user_fetch'];
const KINDS = [...CRAWLER_PURPOSES, 'forged', 'verified', 'unknown', 'allowed', 'denied', 'not_covered', 'none'];
const NAMES: Record<string, string> = {
  training: 'AI training',
  search: 'Search',
  user_fetch: 'Fetched for a person by an assistant',
  index: 'Indexes and archives',
  preview: 'Link previews',
  monitoring: 'Monitoring',
  other: 'Other programs',
  forged: 'Forged names',
  verified: 'Verified',
  unknown: 'Not verified',
  allowed: 'Allowed',
  denied: 'Denied',
  not_covered: 'In no collection of the policy file',
};
const TAGS: Record<string, string> = { unknown: 'not verified', user_fetch: 'user fetch' };
const CRAWLERS_IN_CHART = 15;
const CRAWLERS_WITH_PATHS = 12;
const CRAWLERS_IN_TABLE = 200;
const PROGRAMS_IN_TABLE = 100;

/** `at`: the time of the report, epoch ms. */
export function auditHtml(report: AuditReport, at: number): string {
  const colors = KINDS.map((kind) => `.${kind}{--kind:var(--${kind})}`).join('');
  const parts = [
    head(report),
    ...report.notes.map((note) => `<p class="note">${escape(note)}</p>`),
    cards(report),
    daysPart(report),
    crawlersPart(report),
    programsPart(report),
    operatorsPart(report),
    policyPart(report),
    tablePart(report),
    pathsPart(report),
    listsPart(report),
    unreadablePart(report),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Crawlers in the access log</title><style>${STYLE}${colors}</style></head>
<body><main>
${parts.filter((part) => part !== '').join('\n')}
<footer>Made with postern audit on ${dayText(new Date(at).toISOString())}. A name in a user agent is only a claim; “verified” means that the address is one that the operator publishes.</footer>
</main></body></html>
`;
}

const dayText = (iso: string): string =>
  new Date(iso).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

function head({ from, to, files, requests }: AuditReport): string {
  const span = from === null || to === null ? 'No requests' : `${dayText(from)} to ${dayText(to)}`;
  const shown = files.slice(0, 3).map((file) => (file === '-' ? 'standard input' : file));
  const more = files.length > 3 ? ` and ${counted(files.length - 3, 'more file')}` : '';
  return `<h1>Crawlers in the access log</h1>
<p class="soft">${span} · ${counted(requests, 'request')} in ${escape(shown.join(', '))}${more}</p>`;
}

function cards({ crawlers, requests, others }: AuditReport): string {
  const sum = (rows: readonly CrawlerTraffic[], of: (row: CrawlerTraffic) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const training = crawlers.filter((row) => row.purpose === 'training' && row.outcome !== 'forged');
  const forged = crawlers.filter((row) => row.outcome === 'forged');
  const all = sum(crawlers, (row) => row.requests);
  const card = (value: string, what: string, note: string): string =>
    `<div class="card"><b>${escape(value)}</b>${escape(what)}<br><small>${escape(note)}</small></div>`;
  return `<div class="cards">
${card(percent(all, requests), 'of all requests are crawlers', `${number(all)} of ${number(requests)}`)}
${card(number(sum(training, (row) => row.requests)), 'requests for AI training', sizeText(sum(training, (row) => row.bytes)))}
${card(number(new Set(crawlers.map(({ name }) => name)).size), 'crawler names', `${number(others?.requests ?? 0)} requests name no crawler`)}
${card(number(sum(forged, (row) => row.requests)), 'requests with forged names', forged.length === 0 ? 'none found' : forgedText(forged))}
</div>`;
}

const forgedText = (forged: readonly CrawlerTraffic[]): string =>
  `as ${forged
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ')}${forged.length > 3 ? ' and others' : ''}`;

const legend = (kinds: readonly string[]): string =>
  `<div class="legend">${kinds.map((kind) => `<span class="${kind}">${escape(NAMES[kind] ?? kind)}</span>`).join('')}</div>`;

function daysPart({ days }: AuditReport): string {
  const kinds = [...CRAWLER_PURPOSES, 'forged'].filter((kind) =>
    days.some(({ requests }) => (requests as Record<string, number>)[kind] !== undefined),
  );
  if (kinds.length === 0) return '';
  const values = days.map(({ date, requests }) => ({ date, values: requests as Record<string, number> }));
  return `<h2>Requests of crawlers by day</h2>${legend(kinds)}${daysSvg(values, kinds)}`;
}

/** The rows of one crawler together. */
function byName(crawlers: readonly CrawlerTraffic[]): CrawlerTraffic[][] {
  const names = Map.groupBy(crawlers, ({ name }) => name);
  const total = (rows: readonly CrawlerTraffic[]): number => rows.reduce((sum, { requests }) => sum + requests, 0);
  return [...names.values()].toSorted((a, b) => total(b) - total(a));
}

function crawlersPart({ crawlers }: AuditReport): string {
  if (crawlers.length === 0) return '<h2>Crawlers</h2><p>No user agent in the log names a crawler.</p>';
  const rows = byName(crawlers)
    .slice(0, CRAWLERS_IN_CHART)
    .map((same) => ({
      label: same[0]?.name ?? '',
      note: same[0]?.operator ?? '',
      parts: (['verified', 'unknown', 'forged'] as const).map((kind) => ({
        kind,
        value: same.find(({ outcome }) => outcome === kind)?.requests ?? 0,
      })),
    }));
  return `<h2>Who came, and whether it was them</h2>${legend(['verified', 'unknown', 'forged'])}${barsHtml(rows)}`;
}

function operatorsPart({ operators }: AuditReport): string {
  const shown = operators.filter(({ crawls }) => crawls > 0).slice(0, 12);
  if (shown.length === 0) return '';
  const rows = shown.map(({ operator, crawls, referrals, ratio }): TableCell[] => [
    operator,
    crawls,
    referrals,
    { html: `<b>${escape(ratioText(ratio))}</b>`, right: true },
  ]);
  return `<h2>What they take, and what they send</h2>
<p class="soft">Pages that the crawlers of an operator fetched for each visit that its services sent here.</p>
${tableHtml(['Operator', 'Crawls', 'Visits sent', 'Crawls per visit'], rows)}`;
}

function policyPart({ policy, crawlers, others }: AuditReport): string {
  if (policy === null) return '';
  const toRow = (label: string, note: string, traffic: Traffic) => ({
    label,
    note,
    parts: [
      { kind: 'allowed', value: traffic.policy?.allowed ?? 0 },
      { kind: 'denied', value: traffic.policy?.denied ?? 0 },
      { kind: 'not_covered', value: traffic.policy?.notCovered ?? 0 },
    ],
  });
  const rows = crawlers
    .slice(0, CRAWLERS_IN_CHART)
    .map((one) => toRow(one.name, TAGS[one.outcome] ?? one.outcome, one));
  const reasons = Object.entries(policy.reasons).map(([reason, requests]): TableCell[] => [
    REASONS[reason as Reason].message,
    requests,
  ]);
  return `<h2>What the policy “${escape(policy.name)}” would have answered</h2>
<p>${number(policy.allowed)} requests allowed, ${number(policy.denied)} denied${others?.policy == null ? '' : `; of visitors that name no crawler ${number(others.policy.denied)} denied`}.</p>
${policy.notCovered === undefined ? '' : `<p>Not covered: ${counted(policy.notCovered, 'request')} in no collection of the policy file.</p>`}
${policy.free === 0 ? '' : `<p>Never decided: ${counted(policy.free, 'request')} of files for crawlers, such as robots.txt.</p>`}
${legend(policy.notCovered === undefined ? ['allowed', 'denied'] : ['allowed', 'denied', 'not_covered'])}${barsHtml(rows)}${reasons.length === 0 ? '' : tableHtml(['Reason of denials', 'Requests'], reasons)}`;
}

function programsPart({ programs, programRequests, requests }: AuditReport): string {
  if (programs.length === 0) return '';
  const rows = programs
    .slice(0, PROGRAMS_IN_TABLE)
    .map((one): TableCell[] => [
      one.program,
      { html: escape(programRequestsText(one)), right: true },
      one.pages,
      one.addresses ?? '–',
      one.robotsTxt,
      one.firstSeen.slice(0, 10),
      one.lastSeen.slice(0, 10),
    ]);
  const heads = ['Program', 'Requests', 'Pages, about', 'Addresses, about', 'robots.txt', 'First seen', 'Last seen'];
  const rest = programs.length - rows.length;
  return `<h2>Programs that the crawler directory does not name</h2>
<p class="soft">${counted(programRequests, 'request')} (${percent(programRequests, requests)}), by the name that their user agents give.</p>
${tableHtml(heads, rows)}${rest > 0 ? `<p class="soft">${counted(rest, 'more program')} in the JSON report.</p>` : ''}`;
}

const tag = (kind: string): Html => ({ html: `<span class="tag ${kind}">${escape(TAGS[kind] ?? kind)}</span>` });

function tablePart({ crawlers }: AuditReport): string {
  if (crawlers.length === 0) return '';
  const heads = [
    'Crawler',
    'Operator',
    'Purpose',
    'Identity',
    'Requests',
    'URLs',
    'Bytes',
    '2xx',
    '3xx',
    '4xx',
    '5xx',
    'robots.txt',
    'First seen',
    'Last seen',
  ];
  const right = (text: string): Html => ({ html: escape(text), right: true });
  const rows = crawlers
    .slice(0, CRAWLERS_IN_TABLE)
    .map((one): TableCell[] => [
      one.name,
      one.operator ?? '–',
      AI.includes(one.purpose) ? tag(one.purpose) : one.purpose,
      tag(one.outcome),
      one.requests,
      right(urlsText(one)),
      right(sizeText(one.bytes)),
      one.statuses['2xx'],
      one.statuses['3xx'],
      one.statuses['4xx'],
      one.statuses['5xx'],
      one.robotsTxt,
      one.firstSeen.slice(0, 10),
      one.lastSeen.slice(0, 10),
    ]);
  const rest = crawlers.length - rows.length;
  return `<h2>All crawlers</h2>${tableHtml(heads, rows)}${rest > 0 ? `<p class="soft">${counted(rest, 'more row')} in the JSON report.</p>` : ''}`;
}

function pathsPart({ crawlers }: AuditReport): string {
  const shown = crawlers.slice(0, CRAWLERS_WITH_PATHS).filter(({ topPaths }) => topPaths.length > 0);
  if (shown.length === 0) return '';
  const lists = shown.map(({ name, outcome, topPaths }, i) => {
    const rows = topPaths.map(({ path, requests }): TableCell[] => [
      { html: `<code>${escape(path)}</code>` },
      requests,
    ]);
    return `<details${i === 0 ? ' open' : ''}><summary>${escape(name)} ${tag(outcome).html}</summary>${tableHtml(['Path', 'Requests'], rows)}</details>`;
  });
  return `<h2>Most requested paths</h2>${lists.join('\n')}`;
}

function listsPart({ lists }: AuditReport): string {
  if (lists.length === 0) return '';
  const rows = lists.map(({ source, crawlers, ranges }) => [source, crawlers.join(', '), ranges]);
  return `<h2>Addresses that verified them</h2>${tableHtml(['List', 'Crawlers', 'Ranges'], rows)}`;
}

function unreadablePart({ unreadable, faults, lines }: AuditReport): string {
  const parts = faults.map(({ file, fault }) => `<p class="note">${escape(`${file} ended early: ${fault}`)}</p>`);
  if (unreadable.count > 0) {
    const rows = unreadable.first.map(({ file, line, text }): TableCell[] => [
      `${file}:${line}`,
      { html: `<code>${escape(text)}</code>` },
    ]);
    parts.push(`<h2>Unreadable lines</h2><p>${number(unreadable.count)} of ${number(lines)} lines could not be read.</p>
${tableHtml(['Line', 'Text'], rows)}`);
  }
  return parts.join('\n');
}
