/** The form of a license. */
import { Alert, Autocomplete, Button, TagsInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { tagOf, useOpened } from '../api/opened.ts';
import { useWrite } from '../api/read.ts';
import { dayAt } from '../parts/days.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { toRefused } from '../parts/refused.ts';
import { useWork } from '../parts/work.ts';
import { useRequiredLicenses } from '../policies/use-required-licenses.ts';
import { PartnerChoice } from '../requesters/partner-choice.tsx';
import { OpenRequests } from './open-requests.tsx';
import { PriceFields, toPrice, usePrice } from './price-fields.tsx';
import { ScopeFields, type ScopeOf, toScope, toScopeOf } from './scope-fields.tsx';
import { firstDayIn, lastDayIn, lastDayOfYear, toInstants } from './term.ts';
import { isBackwards, TermFields } from './term-fields.tsx';
import type { Terms } from './terms-fields.ts';
import './licenses.css';
import { countsWords, type License } from '../requesters/types.ts';

interface LicenseFormProps {
  /** The fixed holder; otherwise the form offers a choice. */
  requesterId?: string;
  /** The initial holder. */
  proposed?: string;
  /** The license to edit; absent to create one. */
  license?: License;
  /** The initial fields of a new license. */
  initial?: Proposed;
  /** Creates the license in another way than by itself. */
  create?: (fields: NewLicense) => Promise<unknown>;
  /** The label of the submit button. */
  action?: string;
  /** More fields. */
  children?: ReactNode;
  onDone: () => void;
  onCancel: () => void;
}

interface Proposed {
  kind?: string;
  /** Absent: no scope was asked for; it must be chosen. */
  scope?: License['scope'];
}

/** `terms`: null for a license that is free of charge. */
export type NewLicense = ReturnType<typeof toBody> & { terms: Terms | null };

export function LicenseForm({ requesterId: given, proposed = '', license: shown, initial, ...more }: LicenseFormProps) {
  const { create, children, onDone, onCancel } = more;
  const action = more.action ?? labelOf(shown);
  const license = useOpened(shown);
  const holder = given ?? proposed;
  const isNamed = holder !== '';
  const [requesterId, setRequesterId] = useState(holder);
  const [fields, setFields] = useState<Fields>(() => toFields(license, initial));
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const price = usePrice(fields.type, onlyCollection(fields.scope));
  const terms = license === undefined ? toPrice(price) : null;
  const { busy, error, start, warnings } = useSaving({ license, create, onDone, terms }, requesterId, fields);
  const refused = toRefused(error, LABELS, { features: fields.features });
  if (warnings.length > 0) return <Unbilled warnings={warnings} onDone={onDone} />;

  return (
    <form onSubmit={start} className="fields">
      {given === undefined && <Holder value={requesterId} onChange={setRequesterId} focused={!isNamed} />}
      {license === undefined && create === undefined && <OpenRequests requesterId={requesterId} />}
      <Rights fields={fields} isNamed={isNamed} onChange={change} errorOf={refused.at} />
      <Term fields={fields} license={license} onChange={change} />
      <ScopeFields value={fields.scope} asked={collectionsIn(initial)} onChange={(scope) => change({ scope })} />
      {license === undefined && <PriceFields of={price} dates={toInstants(fields.first, fields.last, undefined)} />}
      {children}
      <FormFoot
        error={refused.elsewhere}
        busy={busy}
        action={action}
        disabled={!isComplete(requesterId, fields, terms)}
        onCancel={onCancel}
      />
    </form>
  );
}

const LABELS = { type: 'Kind of license', features: 'Extras' };

interface RightsProps {
  fields: Fields;
  errorOf: (name: string) => string | undefined;
  isNamed: boolean;
  onChange: (changed: Partial<Fields>) => void;
}

function Rights({ fields, isNamed, onChange, errorOf }: RightsProps) {
  const required = useRequiredLicenses();
  return (
    <>
      <Kind
        value={fields.type}
        error={errorOf('type')}
        onChange={(type) => onChange({ type })}
        required={required?.kinds}
        focused={isNamed}
      />
      <Extras
        value={fields.features}
        error={errorOf('features')}
        onChange={(features) => onChange({ features })}
        required={required?.features}
      />
    </>
  );
}

interface TermProps {
  fields: Fields;
  license: License | undefined;
  onChange: (changed: Partial<Fields>) => void;
}

const Term = ({ fields: { first, last }, license, onChange }: TermProps) => (
  <TermFields
    first={first}
    last={last}
    expiresAt={license?.expiresAt ?? null}
    onFirst={(day) => onChange({ first: day, ...(license === undefined ? following(first, last, day) : {}) })}
    onLast={(day) => onChange({ last: day })}
  />
);

/** A proposed end follows the first day. */
const following = (before: string, last: string, first: string): { last?: string } =>
  last === proposedLast(before) ? { last: proposedLast(first) } : {};

const proposedLast = (first: string): string => lastDayOfYear(first === '' ? dayAt(Date.now()) : first);

const labelOf = (license: License | undefined): string => (license === undefined ? 'Create license' : 'Save');

type SavingProps = Pick<LicenseFormProps, 'license' | 'create' | 'onDone'> & { terms: Terms | null | undefined };

/** Creates or edits the license; `warnings` are those of an edit, and keep the form open. */
function useSaving({ license, create, onDone, terms = null }: SavingProps, requesterId: string, fields: Fields) {
  const write = useWrite();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const work = useWork(async () => {
    const body = toBody(fields, license);
    let found: readonly { message: string }[] = [];
    if (create !== undefined) await create({ ...body, terms });
    else if (license === undefined) await write('POST /v1/licenses', { body: { requesterId, ...body, terms } });
    else {
      const path = { id: license.id };
      const ifMatch = await tagOf('GET /v1/licenses/{id}', { path }, license);
      found = (await write('PATCH /v1/licenses/{id}', { path, body, ifMatch })).warnings ?? [];
    }
    notify(`The license is saved. ${countsWords({ status: license?.status ?? 'active', ...body })}`);
    if (found.length === 0) onDone();
    else setWarnings(found.map(({ message }) => message));
  });
  return { ...work, warnings };
}

/** Shows which periods the saved dates no longer bill. */
function Unbilled({ warnings, onDone }: { warnings: readonly string[]; onDone: () => void }) {
  return (
    <div className="fields">
      <Alert color="yellow" title="The license is saved; some use is no longer billed" role="alert">
        {warnings.map((message) => (
          <p key={message}>{message}</p>
        ))}
      </Alert>
      <div>
        <Button onClick={onDone}>Close</Button>
      </div>
    </div>
  );
}

interface HolderProps {
  value: string;
  onChange: (id: string) => void;
  focused: boolean;
}

const Holder = (props: HolderProps) => <PartnerChoice label="Partner" placeholder="Name or id" {...props} required />;

/** The fields as typed. */
interface Fields {
  type: string;
  features: string[];
  /** Days; empty without one. */
  first: string;
  last: string;
  scope: ScopeOf;
}

const toFields = (license: License | undefined, { kind = '', scope }: Proposed = {}): Fields => ({
  type: license?.type ?? kind,
  features: license?.features ?? [],
  first: firstDayIn(license?.startsAt),
  last: license === undefined ? proposedLast('') : lastDayIn(license.expiresAt),
  scope: toScopeOf(license === undefined ? scope : license.scope),
});

const collectionsIn = (asked: Proposed | undefined): readonly string[] | undefined => asked?.scope?.collectionIds;

/** Returns the collection of a scope that has one. */
const onlyCollection = ({ covers, lists: { collectionIds } }: ScopeOf): string | undefined =>
  covers === 'part' && collectionIds.length === 1 ? collectionIds[0] : undefined;

/** `terms`: undefined while the price of a new license is not said. */
const isComplete = (requesterId: string, { first, last, scope }: Fields, terms: Terms | null | undefined): boolean =>
  requesterId !== '' && terms !== undefined && !isBackwards(first, last) && toScope(scope) !== undefined;

function toBody({ type, features, first, last, scope }: Fields, license: License | undefined) {
  return {
    type: type.trim(),
    features,
    // The form is not sent without one.
    scope: toScope(scope) ?? null,
    ...toInstants(first, last, license),
  };
}

interface RequiredProps<V> {
  value: V;
  error: string | undefined;
  onChange: (value: V) => void;
  /** The types and features that rules require; undefined if unknown. */
  required: readonly string[] | undefined;
}

const HINT_BELOW = ['label', 'input', 'description', 'error'] as const;

function Kind({ value, error, onChange, required, focused }: RequiredProps<string> & { focused: boolean }) {
  const kind = value.trim();
  const unrequired = kind !== '' && required !== undefined && !required.includes(kind);
  return (
    <Autocomplete
      label="Kind of license"
      inputWrapperOrder={[...HINT_BELOW]}
      description={
        <Hint
          warning={unrequired && `No rule asks for the kind “${kind}”: it opens only what any valid license opens.`}
          required={required}
        />
      }
      placeholder={required?.[0] ?? 'research, training, enterprise…'}
      data={[...(required ?? [])]}
      value={value}
      error={error}
      onChange={onChange}
      openOnFocus={false}
      required
      maxLength={64}
      data-autofocus={focused || undefined}
    />
  );
}

function Extras({ value, error, onChange, required }: RequiredProps<string[]>) {
  const unrequired = required === undefined ? [] : value.filter((one) => !required.includes(one));
  return (
    <TagsInput
      label="Extras"
      inputWrapperOrder={[...HINT_BELOW]}
      description={
        <Hint
          warning={unrequired.length > 0 && `No rule asks for ${unrequired.map((one) => `“${one}”`).join(' or ')}.`}
          required={required}
        />
      }
      data={[...(required ?? [])]}
      value={value}
      error={error}
      onChange={onChange}
      maxTags={50}
    />
  );
}

const SHOWN = 6;

function Hint({ warning, required = [] }: { warning: string | false; required: readonly string[] | undefined }) {
  return (
    <span role="status">
      {warning !== false && <span className="hint-warning">{warning} </span>}
      {required.length > 0 &&
        `Your rules ask for ${required.slice(0, SHOWN).join(', ')}${required.length > SHOWN ? ` and ${required.length - SHOWN} more` : ''}.`}
    </span>
  );
}
