/** A statement as a page to print or to send: self-contained, without scripts, on A4 and letter. */
import { formatAmount } from '../../rules/terms/money.ts';
import { partialWords } from '../../rules/terms/price.ts';
import type { StatementLine } from './bill.ts';
import type { Statement } from './statement.ts';
import { STYLE } from './style.ts';
import { OTHER_PURPOSES } from './tally.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] as string);

const counted = (value: number | null): string => (value === null ? '' : value.toLocaleString('en'));

/** `1234.50` as `1,234.50`. */
const grouped = (amount: string): string => {
  const [whole = '', fraction] = amount.split('.');
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + (fraction === undefined ? '' : `.${fraction}`);
};

const day = (iso: string, timezone: string, last = false): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: timezone }).format(Date.parse(iso) - (last ? 1 : 0));

const STATUS = { running: 'Preliminary: the period has not ended', open: 'Preliminary: not final yet', final: 'Final' };

const month = (period: string): string =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(`${period}-01`));

/** `2026-10` as `October 2026`, `2026-Q4` as `Q4 2026`. */
const periodWords = (period: string): string => {
  const [year = '', part] = period.split('-');
  if (part === undefined) return year;
  return part.startsWith('Q') ? `${part} ${year}` : month(period);
};

/** `publisher`: the lines of the sender, its name first; none: no sender. */
export function statementHtml(statement: Statement, publisher: readonly string[] = []): string {
  const { terms, requesterName, requesterId, total } = statement;
  const holder = requesterName ?? requesterId;
  const period = periodWords(statement.period);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`Statement ${period} · ${holder}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${sender(publisher)}<header>
<div><p class="kind">Statement of usage ${escaped(statement.period)}</p><h1>${escaped(period)}</h1></div>
<p class="status ${statement.status}">${STATUS[statement.status]}</p>
</header>
<section class="parties">
<div><h2>Licensee</h2><p class="name">${escaped(holder)}</p><p class="id">${escaped(requesterId)}</p></div>
<dl>${pairs(statement)}</dl>
</section>
<table>
<thead><tr><th>Description</th><th class="n">${terms.unit === 'decision' ? 'Units' : 'Items'}</th><th class="n">Unit price</th><th class="n">Amount (${terms.currency})</th></tr></thead>
<tbody>${statement.lines.map((line) => row(statement, line)).join('')}${statement.lines.length === 0 ? EMPTY : ''}</tbody>
<tfoot><tr><th colspan="3">Total</th><td class="n">${terms.currency} ${grouped(total.amount)}</td></tr></tfoot>
</table>
${uncounted(statement)}
<section class="proof">
<h2>Evidence</h2>
<p>Each line counts recorded decisions. Its SHA-256 is over their sorted ids, each followed by a line feed.</p>
<table><thead><tr><th>Line</th><th class="n">Decisions</th><th>First and last decision</th><th>SHA-256</th></tr></thead>
<tbody>${statement.lines.map(evidence).join('')}</tbody></table>
</section>
<footer><p>Statement ${escaped(statement.id)}${statement.finalizedAt === null ? '' : ` · final since ${day(statement.finalizedAt, terms.timezone)}`}</p><p>Counted by Postern</p></footer>
</main>
</body>
</html>
`;
}

/** Returns the head of a letter. */
function sender([name, ...address]: readonly string[]): string {
  if (name === undefined) return '';
  const lines = address.map((line) => `<br>${escaped(line)}`).join('');
  return `<address class="sender"><strong>${escaped(name)}</strong>${lines}</address>\n`;
}

const EMPTY = '<tr><td colspan="4" class="none">Nothing was used in this period.</td></tr>';

function pairs({ id, terms, from, to, licenseId, termsVersion, partialPeriod }: Statement): string {
  const partial = partialWords(partialPeriod);
  const all: [string, string][] = [
    ['Number', id],
    ['Contract', terms.reference ?? licenseId],
    ['License', licenseId],
    ['Period', `${day(from, terms.timezone)} – ${day(to, terms.timezone, true)} (${terms.timezone})`],
    ...(partial === undefined ? [] : [['Not whole', partial] as [string, string]]),
    ['Terms', `version ${termsVersion}`],
  ];
  return all.map(([term, value]) => `<dt>${term}</dt><dd>${escaped(value)}</dd>`).join('');
}

function describe(statement: Statement, line: StatementLine): string {
  if (line.kind === 'true_up') return 'Difference to the agreed minimum';
  if (line.kind === 'flat') return 'Flat fee';
  if (line.kind === 'correction') return `Correction of statement ${line.statementId}`;
  const purpose = PURPOSES.get(line.purpose) ?? String(line.purpose);
  const { tiers } = statement.terms;
  if (tiers.length === 1 || line.tier === null) return purpose;
  const from = (tiers[line.tier - 2]?.upTo ?? 0) + 1;
  const upTo = tiers[line.tier - 1]?.upTo ?? null;
  const units = upTo === null ? `from ${counted(from)}` : `${counted(from)} to ${counted(upTo)}`;
  return `${purpose} – tier ${line.tier}, ${units}`;
}

const PURPOSES = new Map<string | null, string>([
  [null, 'No purpose stated'],
  [OTHER_PURPOSES, 'Other purposes'],
]);

function row(statement: Statement, line: StatementLine): string {
  const price =
    line.unitPriceMicros === null ? '' : grouped(formatAmount(BigInt(line.unitPriceMicros), statement.terms.currency));
  const deleted =
    line.deleted === null
      ? ''
      : `<br><small>of these, ${counted(line.deleted.decisions)} for items deleted since</small>`;
  return `<tr><td>${escaped(describe(statement, line))}${deleted}</td><td class="n">${counted(line.units)}</td><td class="n">${price}</td><td class="n">${grouped(line.amount)}</td></tr>`;
}

function evidence(line: StatementLine, index: number): string {
  if (line.sha256 === null) return '';
  return `<tr><td>${index + 1}</td><td class="n">${counted(line.decisions)}</td><td class="mono ids">${line.firstDecisionId ?? ''}<br>${line.lastDecisionId ?? ''}</td><td class="mono">${line.sha256}</td></tr>`;
}

function uncounted({ uncounted: some }: Statement): string {
  if (some.length === 0) return '';
  const list = some.map(({ purpose, decisions }) => `${counted(decisions)} for ${purpose ?? 'no stated purpose'}`);
  return `<p class="note">Not covered by these terms: ${escaped(list.join(', '))}.</p>`;
}
