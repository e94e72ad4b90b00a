/** The answered decisions, and the reports that follow from them: a fold that shares no code with the service. */

/** A decision that was answered. */
export interface Decided {
  id: string;
  created: string;
  allowed: boolean;
  reason: string | null;
  contentId: string | null;
  page: string | null;
  requesterId: string | null;
  licenseId: string | null;
  purpose: string | null;
  crawler: string | null;
  /** The name in reports; null: it was erased. */
  program: string | null;
}

type Counted = Record<string, [requests: number, allowed: number]>;

/** Counts by a value; decisions without it are not counted, or under `none`. */
function countBy(all: readonly Decided[], key: (one: Decided) => string | null, none?: string): Counted {
  const counted: Counted = {};
  for (const one of all) {
    const id = key(one) ?? none;
    if (id === undefined) continue;
    const counts = (counted[id] ??= [0, 0]);
    counts[0] += 1;
    if (one.allowed) counts[1] += 1;
  }
  return sorted(counted);
}

export const sorted = <T>(counted: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(counted).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const requestsOf = (counted: Counted): Record<string, number> =>
  Object.fromEntries(Object.entries(counted).map(([id, [requests]]) => [id, requests]));

/** Groups of reports, and how a decision is in one. */
export const GROUPS: Record<string, (one: Decided) => string | null> = {
  program: ({ program }) => program,
  license: ({ licenseId }) => licenseId,
  purpose: ({ purpose }) => purpose,
  crawler: ({ crawler }) => crawler,
  page: ({ page }) => page,
};

export class Book {
  all: Decided[] = [];
  /** Checks that were sent, answered or not. */
  sent = 0;

  /** The requester was erased, and its inputs with it. */
  erase(requesterId: string, pseudonym: string): void {
    this.all = this.all.map((one) =>
      one.requesterId === requesterId ? { ...one, requesterId: pseudonym, program: null } : one,
    );
  }

  /** The item was deleted, and its decisions with it. */
  delete(contentId: string): void {
    const left = this.all.filter((one) => one.contentId !== contentId);
    this.sent -= this.all.length - left.length;
    this.all = left;
  }

  /** The usage report over a selection of decisions. */
  report(isTheirs: (one: Decided) => boolean = () => true): object {
    const all = this.all.filter(isTheirs);
    const denied = all.filter(({ allowed }) => !allowed);
    const [requesters, items, pages] = [
      countBy(all, ({ requesterId }) => requesterId),
      countBy(all, ({ contentId }) => contentId),
      countBy(all, ({ page }) => page),
    ];
    return {
      totals: [all.length, all.length - denied.length, denied.length],
      unique: [requesters, items, pages].map((counted) => Object.keys(counted).length),
      days: countBy(all, ({ created }) => created.slice(0, 10)),
      requesters: requestsOf(requesters),
      items: requestsOf(items),
      pages: requestsOf(pages),
      reasons: requestsOf(countBy(denied, ({ reason }) => reason)),
    };
  }

  groups(by: string): Counted {
    return countBy(this.all, GROUPS[by] as never, 'null');
  }

  /** Decisions that statements of a month count, by license. */
  statements(month: string): Record<string, number> {
    const theirs = this.all.filter(({ allowed, created }) => allowed && created.startsWith(month));
    return requestsOf(countBy(theirs, ({ licenseId }) => licenseId));
  }

  months(): string[] {
    return [...new Set(this.all.map(({ created }) => created.slice(0, 7)))];
  }
}
