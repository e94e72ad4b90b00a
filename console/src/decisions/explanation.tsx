/** Why: every rule in the order it was asked, every condition with what it met, and what would have turned a denial. */
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import type { Answer } from '../api/client.ts';
import { Chip, momentOf } from '../parts/show.tsx';
import { rowOf, verbOf } from '../policies/condition-table.ts';

type Explained = Pick<Answer<'POST /v1/access/check'>, 'explanation' | 'remedies' | 'matchedRule'>;

interface Explanation {
  defaultAction: 'allow' | 'deny';
  rules: {
    index: number;
    priority: number;
    action: 'allow' | 'deny';
    held: boolean;
    decided: boolean;
    conditions: { key: string; expected: unknown; actual: unknown; held: boolean }[];
  }[];
}

export function Explained({ decision }: { decision: Explained }) {
  const explanation = decision.explanation as Explanation | undefined;
  if (explanation === undefined) return null;
  const after = explanation.rules.findIndex(({ decided }) => decided);
  return (
    <>
      <ol className="trace">
        {explanation.rules.map((rule, i) => (
          <li key={rule.index} className={rule.decided ? 'decided' : after !== -1 && i > after ? 'unasked' : ''}>
            <div className="rule">
              <strong>Rule {rule.index + 1}</strong>
              <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>
              <span className="soft">{verdictOf(rule, after !== -1 && i > after)}</span>
            </div>
            <ul>
              {rule.conditions.length === 0 && <li className="soft">No conditions: always holds</li>}
              {rule.conditions.map(({ key, expected, actual, held }) => (
                <li key={key}>
                  {held ? (
                    <IconCheck size={15} className="held" aria-label="holds" />
                  ) : (
                    <IconX size={15} className="not-held" aria-label="does not hold" />
                  )}
                  <span>
                    {nameOf(key)}
                    {key !== 'default' && (
                      <>
                        {' '}
                        {valueOf(expected)} <span className="soft">– the check had</span>{' '}
                        {actual === null ? <span className="soft">nothing</span> : valueOf(actual)}
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
        <li className={decision.matchedRule === null ? 'decided' : 'unasked'}>
          <div className="rule">
            <strong>Default action</strong>
            <Chip tone={explanation.defaultAction === 'allow' ? 'allowed' : 'denied'}>{explanation.defaultAction}</Chip>
            <span className="soft">{decision.matchedRule === null ? 'decided: no rule held' : 'was not needed'}</span>
          </div>
        </li>
      </ol>
      <Remedies of={decision.remedies} />
    </>
  );
}

function nameOf(key: string): string {
  if (key === 'default') return 'A catch-all: it always holds';
  const found = rowOf(key);
  return found === undefined ? key : `${found.row.label} ${verbOf(found.row, found.negated)}`;
}

function verdictOf({ decided, held }: { decided: boolean; held: boolean }, unasked: boolean): string {
  if (decided) return 'decided';
  if (unasked) return 'was not asked';
  return held ? 'holds' : 'does not hold';
}

function valueOf(value: unknown) {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0) return <span className="soft">none</span>;
  const shown = values.slice(0, 6).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return <code>{shown.join(', ') + (values.length > 6 ? ` and ${values.length - 6} more` : '')}</code>;
}

/** When a licence must end: `after now and before …`. */
function endOf({ after, before }: { after?: string; before?: string }): string {
  const bounds = Object.entries({ after, before }).filter(([, text]) => text !== undefined);
  return bounds.map(([word, text]) => `${word} ${text === 'now' ? text : momentOf(text as string)}`).join(' and ');
}

export function Remedies({ of }: { of: Explained['remedies'] }) {
  if (of === undefined || of.length === 0) return null;
  return (
    <div className="remedies">
      <h3>What would have turned it</h3>
      <ul>
        {of.map((remedy) => (
          <li key={JSON.stringify(remedy)}>
            <IconMinus size={14} />
            {remedy.kind === 'license' && (
              <span>
                A licence {remedy.licenseType === null ? 'of any type' : <>of type {valueOf(remedy.licenseType)}</>}
                {remedy.licenseFeatures.length > 0 && <> with {valueOf(remedy.licenseFeatures)}</>}
                {remedy.licenseExpiry !== undefined && <> that ends {endOf(remedy.licenseExpiry)}</>}, which rule{' '}
                {remedy.rule + 1} asks for
              </span>
            )}
            {remedy.kind === 'permission' && (
              <span>
                Asking for {remedy.permissions.length === 0 ? 'no right' : valueOf(remedy.permissions)} instead
              </span>
            )}
            {remedy.kind === 'wait' && <span>Waiting until {momentOf(remedy.until)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
