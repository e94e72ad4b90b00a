/** The price tiers of terms: up to so many units, so much each. */
import { Button, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import type { Faults, PartProps, TierFields } from './terms-fields.ts';

const TIERS_MAX = 20;

export function Tiers({ fields, faults, onChange }: PartProps) {
  const { tiers, currency } = fields;
  const set = (key: number, changed: Partial<TierFields>) =>
    onChange({ tiers: tiers.map((tier) => (tier.key === key ? { ...tier, ...changed } : tier)) });
  // The new tier goes before the last one, which has no end.
  const add = () => {
    const last = tiers.at(-1) as TierFields;
    const key = Math.max(...tiers.map((tier) => tier.key)) + 1;
    onChange({ tiers: [...tiers.slice(0, -1), { key, upTo: '', price: last.price }, last] });
  };
  return (
    <fieldset className="plain">
      <legend>Prices</legend>
      <div className="tiers">
        {tiers.map((tier, i) => (
          <Row
            key={tier.key}
            tier={tier}
            index={i}
            count={tiers.length}
            currency={currency}
            faults={faults}
            onChange={(changed) => set(tier.key, changed)}
            onRemove={() => onChange({ tiers: tiers.filter(({ key }) => key !== tier.key) })}
          />
        ))}
      </div>
      <Button
        size="compact-sm"
        variant="default"
        mt="sm"
        leftSection={<IconPlus size={14} />}
        disabled={tiers.length >= TIERS_MAX}
        onClick={add}
      >
        Another tier
      </Button>
    </fieldset>
  );
}

interface RowProps {
  tier: TierFields;
  index: number;
  count: number;
  currency: string;
  faults: Faults;
  onChange: (changed: Partial<TierFields>) => void;
  onRemove: () => void;
}

function Row({ tier: { upTo, price }, index, count, currency, faults, onChange, onRemove }: RowProps) {
  const isLast = index === count - 1;
  return (
    <>
      {isLast ? (
        <span className="rest">{count === 1 ? 'Every unit' : 'Every further unit'}</span>
      ) : (
        <TextInput
          label={index === 0 ? 'The first units, up to' : 'Then, up to'}
          inputMode="numeric"
          value={upTo}
          error={upTo === '' ? undefined : faults[`tiers.${index}.upTo`]}
          required
          onChange={(event) => onChange({ upTo: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={`Each (${currency})`}
        inputMode="decimal"
        value={price}
        error={faults[`tiers.${index}.price`]}
        onChange={(event) => onChange({ price: event.currentTarget.value })}
      />
      <Button
        variant="subtle"
        color="gray"
        px={8}
        aria-label={`Remove tier ${index + 1}`}
        disabled={isLast}
        onClick={onRemove}
      >
        <IconTrash size={16} />
      </Button>
    </>
  );
}
