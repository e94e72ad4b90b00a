/** The collections of policy files, which give a file's policy to addresses: planned and written like the policies. */
import type { Postern } from '../../../client/src/client.ts';
import { PosternError } from '../../../client/src/errors.ts';
import type { Answered, Body, Policy } from '../../../client/src/types.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import type { FieldChange } from '../../rules/diff.ts';
import { failed, misused } from '../outcome.ts';
import { type Terminal } from '../terminal.ts';
import { findNamed } from './find.ts';
import type { PolicyFile } from './policy-file.ts';

export type CollectionAnswer = Answered<'getCollection'>;
/** A collection as a file says it should be. Fields that the file lacks have their first values. */
type Wanted = Required<Body<'createCollection'>>;

export interface CollectionPlan {
  wanted: Wanted;
  action: 'create' | 'update' | 'none';
  /** The collection as the service has it; undefined when the file creates it. */
  before: CollectionAnswer | undefined;
  fields: FieldChange[];
}

export interface CollectionsOfFile {
  plans: CollectionPlan[];
  /** Collections with the file's policy that the file does not name. They stay. */
  others: CollectionAnswer[];
}

interface Planned {
  path: string;
  file: PolicyFile;
  before: Policy | undefined;
}

/** Stands for the id of a policy that the file creates. */
export const NEW_POLICY = 'this policy';

/** Compares the collections of each file with the service, in the order of the files. */
export async function planCollections(postern: Postern, planned: readonly Planned[]): Promise<CollectionsOfFile[]> {
  if (planned.every(({ file }) => file.collections === undefined))
    return planned.map(() => ({ plans: [], others: [] }));
  const [{ FIELDS, FIRST_VALUES, SELECTOR_NAMES }, { sortedJson }] = await Promise.all([
    import('../../content/collections/collection.ts'),
    import('../../rules/canonical.ts'),
  ]);
  const stored = await Array.fromAsync(postern.listCollections({ limit: 100 }));
  const toWanted = ({ id: _, ...fields }: FileCollection, policyId: string): Wanted => {
    const wanted: Wanted = { ...FIRST_VALUES, ...fields, policyId: fields.policyId === null ? null : policyId };
    // As the service stores them.
    return {
      ...wanted,
      ...Object.fromEntries(SELECTOR_NAMES.map((name) => [name, [...new Set<string>(wanted[name])]])),
    };
  };
  const toPlan = (path: string, entry: FileCollection, policyId: string): CollectionPlan => {
    const before = findNamed(stored, entry, 'collections');
    if (before === undefined && entry.id !== undefined) {
      throw failed(
        `${plain(path)} names the collection ${plain(entry.id)}, which the service does not have. Remove the id to create it.`,
      );
    }
    const wanted = toWanted(entry, policyId);
    const fields = (Object.keys(FIELDS) as (keyof Wanted)[])
      .filter((name) => before !== undefined && sortedJson(before[name]) !== sortedJson(wanted[name]))
      .map((name): FieldChange => ({ path: name, from: before?.[name], to: wanted[name] }));
    return { wanted, before, fields, action: before === undefined ? 'create' : fields.length > 0 ? 'update' : 'none' };
  };
  const found = planned.map(({ path, file, before }): CollectionsOfFile => {
    const plans = (file.collections ?? []).map((entry) => toPlan(path, entry, before?.id ?? NEW_POLICY));
    const named = new Set(plans.map((plan) => plan.before?.id));
    const others = stored.filter((one) => before !== undefined && isUnder(one, before) && !named.has(one.id));
    return { plans, others: file.collections === undefined ? [] : others };
  });
  requireOneEntryEach(planned, found);
  return found;
}

/** Collections without a policy of their own follow the default. */
const isUnder = ({ policyId }: CollectionAnswer, { id, isDefault }: Pick<Policy, 'id' | 'isDefault'>): boolean =>
  policyId === id || (policyId === null && isDefault);

type FileCollection = NonNullable<PolicyFile['collections']>[number];

function requireOneEntryEach(planned: readonly Planned[], found: readonly CollectionsOfFile[]): void {
  const seen = new Set<string>();
  for (const [i, { plans }] of found.entries()) {
    for (const { wanted, before } of plans) {
      const collection = before === undefined ? `name ${wanted.name}` : `id ${before.id}`;
      if (seen.has(collection)) {
        throw misused(`${planned[i]?.path} names the collection ${plain(wanted.name)}, which another entry is for.`);
      }
      seen.add(collection);
    }
  }
}

export function collectionsText(terminal: Terminal, { plans, others }: CollectionsOfFile): string {
  const lines = plans.flatMap(({ wanted, action, before, fields }) => {
    const head = `collection ${plain(wanted.name)}`;
    const current = `${before?.id}, version ${before?.version}`;
    if (action === 'none') return [`      ${head}: unchanged (${current})`];
    if (action === 'create') return [`    ${paint(terminal, 'green', '+')} ${head}: to be created`];
    return [
      `    ${paint(terminal, 'yellow', '~')} ${head}: ${current}, to be edited`,
      ...fields.map(({ path, from, to }) => `        ${path}: ${toText(from)} → ${toText(to)}`),
    ];
  });
  for (const { id, name } of others) lines.push(`      collection ${plain(name)} (${id}) is not in the file and stays`);
  return lines.map((line) => `${line}\n`).join('');
}

const toText = (value: unknown): string => (value === null ? 'none' : plain(JSON.stringify(value)));

/** Writes a collection for a policy that exists, and puts the new version into the plan. */
export async function writeCollection(
  terminal: Terminal,
  postern: Postern,
  plan: CollectionPlan,
  policyId: string,
): Promise<void> {
  const body = { ...plan.wanted, policyId: plan.wanted.policyId === null ? null : policyId };
  const { before } = plan;
  const written =
    before === undefined
      ? await postern.createCollection(body)
      : await postern.updateCollection(
          before.id,
          { ...body, metadataReplace: true },
          { ifMatch: `"${before.version}"` },
        );
  plan.before = written;
  terminal.err(`${plain(written.name)}: ${written.id}, version ${written.version}\n`);
  for (const { param, message } of written.warnings) terminal.err(`  ! ${param}: ${plain(message)}\n`);
}

/**
 * Returns the collections under a policy as entries of its file; undefined without the permission to read them. Those
 * that follow the default have `policyId: null`, so that they still do after an apply.
 */
export async function collectionEntries(postern: Postern, policy: Policy): Promise<object[] | undefined> {
  const { FIELDS, FIRST_VALUES } = await import('../../content/collections/collection.ts');
  const { sortedJson } = await import('../../rules/canonical.ts');
  let collections: CollectionAnswer[];
  try {
    collections = await Array.fromAsync(postern.listCollections({ policyId: policy.id, limit: 100 }));
  } catch (error) {
    if (error instanceof PosternError && error.code === 'insufficient_permissions') return undefined;
    throw error;
  }
  const first = FIRST_VALUES as Record<string, unknown>;
  const names = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).filter((name) => name !== 'policyId');
  const own = collections.filter((collection) => isUnder(collection, policy)).toReversed();
  return own.map((collection) => ({
    id: collection.id,
    ...(collection.policyId === null ? { policyId: null } : {}),
    ...Object.fromEntries(
      names
        .filter((name) => name === 'name' || sortedJson(collection[name]) !== sortedJson(first[name]))
        .map((name) => [name, collection[name]]),
    ),
  }));
}
