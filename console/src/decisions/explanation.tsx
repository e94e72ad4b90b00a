/** Explains a decision: the rules in order of evaluation, their conditions and values, and remedies of a denial. */
import { Alert } from '@mantine/core';
import type { Answer } from '../api/client.ts';
import { IconCheck, IconMinus, IconX } from '../parts/icons.ts';
import { Chip, formatTime } from '../parts/show.tsx';
import { findRow, getVerb } from '../policies/condition-table.ts';
import { permissionName } from '../policies/permissions.ts';
import { lacking, type Permission } from '../shell/session.tsx';
import './explanation.css';

type Explained = Pick<Answer<'POST /v1/access/check'>, 'explanation' | 'remedies' | 'matchedRule'>;

interface Explanation {
  defaultAction: 'allow' | 'deny';
  rules: {
    index: number;
    priority: number;
    action: 'allow' | 'deny';
    held: boolean;
    decided: boolean;
    conditions: {
      key: string;
      expected: unknown;
      actual: unknown;
      unknown?: true;
      withheld?: Permission;
      held: boolean;
    }[];
  }[];
}

export function Explained({ decision }: { decision: Explained }) {
  const explanation = decision.explanation as Explanation | null | undefined;
  if (explanation === undefined) return null;
  if (explanation === null) {
    return (
      <>
        <Alert color="gray">No rules to show: {lacking('policies:read')}</Alert>
        <Remedies of={decision.remedies} />
      </>
    );
  }
  const after = explanation.rules.findIndex(({ decided }) => decided);
  return (
    <>
      <ol className="trace">
        {explanation.rules.map((rule, i) => (
          <RuleTrace key={rule.index} rule={rule} skipped={after !== -1 && i > after} />
        ))}
        <li className={decision.matchedRule === null ? 'decided' : 'unasked'}>
          <div className="rule">
            <strong>If no rule matches</strong>
            <Chip tone={explanation.defaultAction === 'allow' ? 'allowed' : 'denied'}>{explanation.defaultAction}</Chip>
            <span className="soft">
              {decision.matchedRule === null ? 'decided: no rule matched' : 'was not needed'}
            </span>
          </div>
        </li>
      </ol>
      <Remedies of={decision.remedies} />
    </>
  );
}

/** `skipped`: an earlier rule decided. */
function RuleTrace({ rule, skipped }: { rule: Explanation['rules'][number]; skipped: boolean }) {
  const undecided = skipped ? 'unasked' : '';
  return (
    <li className={rule.decided ? 'decided' : undecided}>
      <div className="rule">
        <strong>Rule {rule.index + 1}</strong>
        <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>
        <span className="soft">{getVerdict(rule, skipped)}</span>
      </div>
      <ul>
        {rule.conditions.length === 0 && <li className="soft">No conditions: always matches</li>}
        {rule.conditions.map((condition) => (
          <ConditionTrace key={condition.key} condition={condition} />
        ))}
      </ul>
    </li>
  );
}

function ConditionTrace({ condition }: { condition: Explanation['rules'][number]['conditions'][number] }) {
  const { key, expected, actual, unknown, withheld, held } = condition;
  return (
    <li>
      {held ? (
        <IconCheck size={15} className="held" aria-label="matches" />
      ) : (
        <IconX size={15} className="not-held" aria-label="does not match" />
      )}
      <span>
        {getName(key)}
        {key !== 'default' && (
          <>
            {' '}
            {showValue(expected)} <span className="soft">– the check had</span>{' '}
            {actual === null ? (
              <span className="soft">
                {withheld !== undefined ? lacking(withheld) : unknown === true ? 'nothing known' : 'none'}
              </span>
            ) : (
              showValue(actual)
            )}
          </>
        )}
      </span>
    </li>
  );
}

function getName(key: string): string {
  if (key === 'default') return 'A catch-all: always matches';
  const found = findRow(key);
  return found === undefined ? key : `${found.row.label} ${getVerb(found.row, found.negated)}`;
}

function getVerdict({ decided, held }: { decided: boolean; held: boolean }, skipped: boolean): string {
  if (decided) return 'decided';
  if (skipped) return 'not evaluated';
  return held ? 'matches' : 'does not match';
}

function showValue(value: unknown) {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0) return <span className="soft">none</span>;
  const shown = values.slice(0, 6).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return <code>{shown.join(', ') + (values.length > 6 ? ` and ${values.length - 6} more` : '')}</code>;
}

/** Describes when a license must end: `after now and before …`. */
function formatEnd({ after, before }: { after?: string; before?: string }): string {
  const bounds = Object.entries({ after, before }).filter(([, text]) => text !== undefined);
  return bounds.map(([word, text]) => `${word} ${text === 'now' ? text : formatTime(text as string)}`).join(' and ');
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
                A license {remedy.licenseType === null ? 'of any type' : <>of type {showValue(remedy.licenseType)}</>}
                {remedy.licenseFeatures.length > 0 && <> with {showValue(remedy.licenseFeatures)}</>}
                {remedy.licenseExpiry !== undefined && <> that ends {formatEnd(remedy.licenseExpiry)}</>}, which rule{' '}
                {remedy.rule + 1} asks for
              </span>
            )}
            {remedy.kind === 'permission' && (
              <span>
                Asking for{' '}
                {remedy.permissions.length === 0 ? 'no right' : showValue(remedy.permissions.map(permissionName))}{' '}
                instead
              </span>
            )}
            {remedy.kind === 'verification' && <span>Proof of its name, by {showValue(remedy.verified)}</span>}
            {remedy.kind === 'amend' && <span>More units in the terms of its license</span>}
            {remedy.kind === 'wait' && <span>Waiting until {formatTime(remedy.until)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
