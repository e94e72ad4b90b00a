/** Asks the adapter in front of a site how it is set up, and whether it reaches Postern. */
import { VERSION } from '../lib/version.ts';
import type { Finding } from './finding.ts';

const PATH = '/.well-known/postern';
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 10_000;

/** Returns undefined where no adapter answers to the proof. Throws what `fetch` throws. */
export async function checkAdapter(site: string, proof: string | null): Promise<Finding[] | undefined> {
  const url = new URL(PATH, site);
  url.searchParams.set('proof', proof ?? '');
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const status = response.status === 200 ? readStatus((await response.text()).slice(0, BYTES_MAX)) : undefined;
  return status && findingsIn(status);
}

type Status = Record<'adapter' | 'version' | 'mode' | 'ask' | 'onError', string> & { failure: string | null };

function readStatus(text: string): Status | undefined {
  try {
    const status = JSON.parse(text) as Partial<Status> | null;
    const texts = [status?.adapter, status?.version, status?.mode, status?.ask, status?.onError];
    return texts.every((one) => typeof one === 'string') ? (status as Status) : undefined;
  } catch {
    return undefined;
  }
}

function findingsIn({ adapter, version, mode, ask, onError, failure }: Status): Finding[] {
  const other = version === VERSION ? '' : `; this command is of version ${VERSION}`;
  const reaches: Finding = failure
    ? { what: 'reach', state: 'bad', says: `the adapter has no answer from Postern: ${failure}` }
    : { what: 'reach', state: 'good', says: 'the adapter reaches Postern, which takes its key' };
  return [
    { what: 'adapter', state: other === '' ? 'good' : 'note', says: `${adapter}, version ${version}${other}` },
    checkMode(mode),
    { what: 'ask', state: 'good', says: describeAsk(ask) },
    { what: 'onError', state: 'good', says: `${onError}: ${describeOnError(onError)}` },
    reaches,
  ];
}

function checkMode(mode: string): Finding {
  if (mode === 'enforce') return { what: 'mode', state: 'good', says: 'enforces what Postern answers' };
  if (mode === 'off') return { what: 'mode', state: 'bad', says: 'is off: everything is served, and nothing is asked' };
  return { what: 'mode', state: 'note', says: `${mode}: everything is served, and Postern is asked beside the answer` };
}

function describeAsk(ask: string): string {
  if (ask === 'everyone') return 'asks about everyone';
  if (ask === 'programs') return 'asks about programs; everything that looks like a browser is served';
  return 'asks about the visitors that its own function names';
}

const describeOnError = (onError: string): string =>
  onError === 'deny' ? 'without an answer, it refuses with 503' : 'without an answer, it serves';
