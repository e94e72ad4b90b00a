/** Shows the difference between two versions, rule by rule. */
import { useRead } from '../api/read.ts';
import { Chip } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { RuleText } from './rule-text.tsx';
import type { Rule } from './rules.ts';

interface FieldChange {
  path: string;
  from?: unknown;
  to?: unknown;
}

/** A rule that was added or removed as a whole, or the changed fields of a rule. */
interface RuleChange {
  change: string;
  from: number | null;
  to: number | null;
  rule?: Rule;
  fields?: FieldChange[];
}

const WORDS: Record<string, string> = {
  added: 'added',
  removed: 'removed',
  moved: 'moved',
  changed: 'changed',
  moved_and_changed: 'moved and changed',
};

export function Difference({ policyId, from, to }: { policyId: string; from: number; to: number }) {
  const difference = useRead('GET /v1/policies/{id}/versions/{version}/diff/{other}', {
    path: { id: policyId, version: from, other: to },
  });
  return (
    <Loaded of={difference} rows={3}>
      {({ fields, rules }) =>
        fields.length === 0 && rules.length === 0 ? (
          <p className="soft">No difference.</p>
        ) : (
          <ul className="differences">
            {fields.map((field) => (
              <li key={field.path}>
                <Field {...field} />
              </li>
            ))}
            {(rules as RuleChange[]).map((one) => (
              <li key={`${one.from} ${one.to}`}>
                <Chip tone={one.change === 'added' ? 'allowed' : one.change === 'removed' ? 'denied' : 'limited'}>
                  Rule {(one.to ?? one.from ?? 0) + 1} {WORDS[one.change] ?? one.change}
                </Chip>
                {one.change.startsWith('moved') && one.from !== null && (
                  <span className="soft small"> from position {one.from + 1}</span>
                )}
                {one.rule !== undefined && (
                  <div className="small">
                    {one.rule.action} <RuleText rule={one.rule} />
                  </div>
                )}
                {one.fields?.map((field) => (
                  <Field key={field.path} {...field} />
                ))}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Field({ path, from, to }: FieldChange) {
  return (
    <div className="field-change">
      <code>{path}</code>
      <del>{formatValue(from)}</del>
      <ins>{formatValue(to)}</ins>
    </div>
  );
}

const formatValue = (value: unknown): string =>
  value === null || value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
