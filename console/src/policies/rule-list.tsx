/** The rules in order of evaluation; moved by dragging, keyboard (space, arrows, space) or buttons. */
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { Button } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { IconPlus } from '../parts/icons.ts';
import { Empty } from '../parts/states.tsx';
import { type Control, useFollowedFocus } from './followed-focus.ts';
import type { RuleProblem } from './problems.ts';
import { RuleCard } from './rule-card.tsx';
import { evaluationOrder, inOrder, NOTHING_YET, placeOfNew, type Rule, reordered } from './rules.ts';

interface RuleListProps {
  rules: readonly Rule[];
  problems: readonly RuleProblem[];
  onChange: (rules: Rule[]) => void;
}

export function RuleList({ rules, problems, onChange }: RuleListProps) {
  const order = evaluationOrder(rules);
  const sensors = useDragging();
  const { list, open, toggle, move, drop, add, copy, replace, remove } = useEdits(rules, onChange);
  return (
    <>
      {rules.length === 0 && (
        <Empty title="No rules">Every check gets the action for “If no rule matches”. Add a rule to change that.</Empty>
      )}
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ restoreFocus: false }}
      >
        <SortableContext items={order.map((_, i) => i + 1)} strategy={verticalListSortingStrategy}>
          <div className="rule-list" ref={list}>
            {order.map((place, i) => (
              <Sortable
                key={`${i}-${rules.length}`}
                rule={rules[place] as Rule}
                number={i + 1}
                of={rules.length}
                open={open === i}
                onToggle={() => toggle(i)}
                problems={problems.filter((one) => one.place === place)}
                onChange={(rule) => replace(i, rule)}
                onMove={(by) => move(i, i + by, by < 0 ? 'up' : 'down')}
                onCopy={() => copy(i)}
                onRemove={() => remove(i)}
              />
            ))}
          </div>
        </SortableContext>
      </DndContext>
      <Button
        mt="sm"
        variant="default"
        leftSection={<IconPlus size={16} />}
        disabled={rules.length >= 100}
        onClick={add}
      >
        Add a rule
      </Button>
    </>
  );
}

/** The edits that change the order, with the open rule and the focus after each. */
function useEdits(rules: readonly Rule[], onChange: (rules: Rule[]) => void) {
  const [open, setOpen] = useState<number | undefined>(undefined);
  const { list, follow } = useFollowedFocus();
  const move = (from: number, to: number, control: Control) => {
    setOpen(undefined);
    onChange(reordered(rules, from, to));
    follow(to, control);
  };
  const drop = ({ active, over }: DragEndEvent) => {
    if (over !== null && active.id !== over.id) move(Number(active.id) - 1, Number(over.id) - 1, 'handle');
  };
  const add = () => {
    const index = placeOfNew(rules);
    onChange(inOrder(rules).toSpliced(index, 0, { action: 'deny', conditions: NOTHING_YET }));
    setOpen(index);
    follow(index, 'title');
  };
  const copy = (index: number) => {
    const ordered = inOrder(rules);
    onChange(ordered.toSpliced(index + 1, 0, structuredClone(ordered[index] as Rule)));
  };
  const replace = (index: number, rule: Rule) => {
    const place = evaluationOrder(rules)[index] as number;
    const changed = rules.with(place, rule);
    onChange(changed);
    // “Everything else” makes it the last one.
    setOpen(evaluationOrder(changed).indexOf(place));
  };
  const remove = (index: number) => {
    setOpen(undefined);
    onChange(inOrder(rules).toSpliced(index, 1));
  };
  const toggle = (index: number) => setOpen(open === index ? undefined : index);
  return { list, open, toggle, move, drop, add, copy, replace, remove };
}

const useDragging = () =>
  useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );

function Sortable(props: Omit<ComponentProps<typeof RuleCard>, 'handle'>) {
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: props.number,
  });
  const style = {
    transform: transform === null ? undefined : `translate3d(0, ${transform.y}px, 0)`,
    transition,
    ...(isDragging ? { zIndex: 2, position: 'relative' as const } : {}),
  };
  return (
    <div ref={setNodeRef} style={style}>
      <RuleCard {...props} handle={{ ...attributes, ...listeners }} />
    </div>
  );
}
