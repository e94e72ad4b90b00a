/** Drafts of policies, kept in this browser for each key until published or discarded. */
import { useCallback, useEffect, useState } from 'react';
import { useHolder } from '../shell/session.tsx';
import { shapeFault } from './rule-shape.ts';
import { type Draft, isSame } from './rules.ts';

export interface KeptDraft {
  draft: Draft;
  /** The version the draft is based on; 0 for a new policy. */
  version: number;
  editedAt: number;
}

/** The draft of a new policy. */
export const NEW_POLICY = 'new';
const HEAD = 'postern.draft';
/** The most drafts kept; the oldest are dropped. */
const DRAFTS_MAX = 30;

const toKey = (keyId: string, policyId: string): string => `${HEAD} ${keyId} ${policyId}`;

function readDraft(name: string): KeptDraft | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is KeptDraft {
  const { draft, version, editedAt } = (value ?? {}) as Partial<KeptDraft>;
  return (
    typeof version === 'number' &&
    typeof editedAt === 'number' &&
    typeof draft?.name === 'string' &&
    typeof draft.description === 'string' &&
    (draft.defaultAction === 'allow' || draft.defaultAction === 'deny') &&
    shapeFault(draft.rules) === undefined
  );
}

/** Returns whether the browser stored it: storage can be full or forbidden. */
function writeDraft(name: string, kept: KeptDraft): boolean {
  try {
    const first = localStorage.getItem(name) === null;
    localStorage.setItem(name, JSON.stringify(kept));
    if (first) for (const old of draftNames().slice(DRAFTS_MAX)) localStorage.removeItem(old);
    return true;
  } catch {
    return false;
  }
}

function removeDraft(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // Storage is forbidden, so nothing was kept.
  }
}

/** Lists drafts, newest first. */
const draftNames = (): string[] =>
  Object.keys(localStorage)
    .filter((name) => name.startsWith(`${HEAD} `))
    .map((name) => ({ name, at: readDraft(name)?.editedAt ?? 0 }))
    .toSorted((a, b) => b.at - a.at)
    .map(({ name }) => name);

/** Returns whether the signed-in user or key has a draft of a policy in this browser. */
export function useHasDraft(): (policyId: string) => boolean {
  const { id } = useHolder();
  return (policyId) => readDraft(toKey(id, policyId)) !== undefined;
}

/** Returns a function that keeps a draft for the page of its policy. */
export function useKeepDraft(): (policyId: string, draft: Draft, version: number) => void {
  const { id } = useHolder();
  return (policyId, draft, version) => writeDraft(toKey(id, policyId), { draft, version, editedAt: Date.now() });
}

export interface EditedDraft {
  draft: Draft;
  /** The draft differs from the current version. */
  dirty: boolean;
  /** The version the draft started from. */
  version: number;
  /** Time of the last edit, of a restored draft. */
  restoredFrom: number | undefined;
  /** Another version was published since the draft began. */
  outdated: boolean;
  /** The browser did not keep the last edit. */
  unkept: boolean;
  change: (draft: Draft) => void;
  discard: () => void;
  /** Rebases the draft onto the current version. */
  rebase: () => void;
}

/** Returns the draft of a policy; `stored`, the current version, until something is changed. */
export function useDraft(policyId: string, stored: Draft, version: number): EditedDraft {
  const { id } = useHolder();
  const name = toKey(id, policyId);
  const [kept, setKept] = useState(() => readDraft(name));
  const [restoredFrom, setRestoredFrom] = useState(kept?.editedAt);
  const [unkept, setUnkept] = useState(false);
  const dirty = kept !== undefined && !isSame(kept.draft, stored);
  const discard = useCallback(() => {
    removeDraft(name);
    setKept(undefined);
    setRestoredFrom(undefined);
    setUnkept(false);
  }, [name]);
  useEffect(() => {
    // Reverted manually, or published.
    if (kept !== undefined && !dirty) discard();
  }, [kept, dirty, discard]);
  const keep = (draft: Draft, on: number) => {
    const next = { draft, version: on, editedAt: Date.now() };
    setKept(next);
    setUnkept(!writeDraft(name, next));
  };
  return {
    draft: kept?.draft ?? stored,
    dirty,
    version: dirty ? kept.version : version,
    restoredFrom: dirty ? restoredFrom : undefined,
    outdated: dirty && kept.version !== version,
    unkept,
    change: (draft) => keep(draft, kept?.version ?? version),
    discard,
    rebase: () => kept !== undefined && keep(kept.draft, version),
  };
}
