/**
 * Drafts a rule about a crawler, program, partner or page at the place where it decides, and shows its impact. Only the
 * policy's own page publishes it.
 */
import { Alert, Button, type ButtonProps, Group, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconGavel } from '../parts/icons.ts';
import { Chip, formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { lacking, useMay, useMayInSecret } from '../shell/session.tsx';
import type { Drafted, Outcome, Subject } from './drafted-rules.ts';
import { useHasDraft, useKeepDraft } from './drafts.ts';
import { draftAt, findPlaces, type Place } from './found-places.ts';
import { Impact, useImpact } from './impact.tsx';
import { RuleText } from './rule-text.tsx';
import { toDraft } from './rules.ts';

interface DraftRuleProps extends ButtonProps {
  subject: Subject;
  /** The subject in a sentence. */
  name: string;
  label?: string;
}

/** The button. It needs what it asks the service. */
export function DraftRule({ subject, name, label = 'Draft a rule…', ...props }: DraftRuleProps) {
  const [open, setOpen] = useState(false);
  const mayCheck = useMayInSecret('access:check');
  const mayAnalyze = useMay('analytics:read');
  const mayRead = useMay('requesters:read') || !('requesterId' in subject);
  const missing = (
    [
      ['access:check', mayCheck],
      ['analytics:read', mayAnalyze],
      ['requesters:read', mayRead],
    ] as const
  ).find(([, may]) => !may);
  return (
    <>
      <MayButton
        permission="policies:write"
        variant="default"
        leftSection={<IconGavel size={16} />}
        because={missing && lacking(missing[0])}
        onClick={() => setOpen(true)}
        {...props}
      >
        {label}
      </MayButton>
      {open && (
        <Dialog onClose={() => setOpen(false)} title={`Draft a rule about ${name}`} size="xl">
          <Choose subject={subject} name={name} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

const OUTCOMES: { value: Outcome; label: string }[] = [
  { value: 'deny', label: 'Deny' },
  { value: 'license', label: 'Only with a license' },
  { value: 'allow', label: 'Allow' },
];

interface ChooseProps {
  subject: Subject;
  name: string;
  onClose: () => void;
}

function Choose({ subject, name, onClose }: ChooseProps) {
  const [outcome, setOutcome] = useState<Outcome>('deny');
  const [chosen, setChosen] = useState<string>();
  const places = useQuery({
    queryKey: ['places of a rule', subject],
    queryFn: ({ signal }) => findPlaces(subject, signal),
    refetchOnWindowFocus: false,
  });
  return (
    <div className="stack">
      <SegmentedControl
        aria-label="What the rule does"
        data={OUTCOMES}
        value={outcome}
        onChange={(value) => setOutcome(value)}
      />
      <Loaded of={places} rows={4}>
        {({ places: found, subject: proven }) => {
          const place = found.find(({ policy }) => policy.id === chosen) ?? found[0];
          if (place === undefined)
            return <Empty title="No request is recorded yet">So nothing shows which policy decides for {name}.</Empty>;
          return (
            <>
              <Select
                label="Policy that decides for it now"
                data={found.map(({ policy, requests }) => ({
                  value: policy.id,
                  label:
                    requests === 0 ? policy.name : `${policy.name} (${formatCount(requests)} of the latest requests)`,
                }))}
                value={place.policy.id}
                onChange={(id) => setChosen(id ?? undefined)}
                allowDeselect={false}
              />
              <AtPlace place={place} subject={proven} outcome={outcome} onClose={onClose} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface AtPlaceProps {
  place: Place;
  subject: Subject;
  outcome: Outcome;
  onClose: () => void;
}

function AtPlace({ place, subject, outcome, onClose }: AtPlaceProps) {
  const { policy } = place;
  const hasDraft = useHasDraft()(policy.id);
  if (hasDraft)
    return (
      <Alert color="yellow" title="You have a draft of this policy">
        Publish or discard it first: <Link href={`/policies/${policy.id}`}>{policy.name}</Link>
      </Alert>
    );
  if ('program' in subject && outcome === 'allow')
    return (
      <Alert color="gray" title="Nothing proves this name">
        Any visitor may use it, so a rule would let everybody in. Add the program to your partners & bots with an
        address, host name or token that proves it, then allow that partner.
      </Alert>
    );
  const drafted = draftAt(place, subject, outcome);
  return typeof drafted === 'string' ? (
    <Alert color="gray" title="A rule would change nothing here">
      {drafted}
    </Alert>
  ) : (
    <Preview policy={policy} drafted={drafted} onClose={onClose} />
  );
}

function Preview({ policy, drafted, onClose }: { policy: Place['policy']; drafted: Drafted; onClose: () => void }) {
  const keep = useKeepDraft();
  const [, go] = useLocation();
  const { rules, added } = drafted;
  const impact = useImpact(policy.id, { policy: { rules, defaultAction: policy.defaultAction } });
  const edit = () => {
    keep(policy.id, { ...toDraft(policy), rules }, policy.version);
    onClose();
    go(`/policies/${policy.id}`);
  };
  return (
    <>
      <ul className="sentences">
        {added
          .toSorted((a, b) => a - b)
          .map((index) => {
            const rule = rules[index];
            return (
              rule !== undefined && (
                <li key={index}>
                  <strong>Rule {index + 1}</strong>
                  <Chip tone={rule.action === 'allow' ? 'allowed' : 'denied'}>{rule.action}</Chip>
                  <span>
                    <RuleText rule={rule} />
                  </span>
                </li>
              )
            );
          })}
      </ul>
      <Impact of={impact} />
      <Group justify="flex-end" gap="sm" className="dialog-foot">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={edit}>Open the draft</Button>
      </Group>
    </>
  );
}
