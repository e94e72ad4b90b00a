/** Erases a partner or bot from everything past, after its id was typed. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { notify } from '../parts/notices.tsx';

interface EraseProps {
  id: string;
  name: string;
  onClose: () => void;
}

export function Erase({ id, name, onClose }: EraseProps) {
  const write = useWrite();
  const [, go] = useLocation();
  const erase = () =>
    write('POST /v1/requesters/{id}/erase', { path: { id }, body: { confirm: id } }, () => go('/requesters')).then(
      ({ pseudonym }) => notify(`${name} is being erased. In everything past it is now ${pseudonym}.`),
    );
  return (
    <Confirm
      title={`Erase ${name} from everything past?`}
      typed={id}
      action="Erase for good"
      onClose={onClose}
      onConfirm={erase}
    >
      Its licenses and access tokens end at once, and its names, notes and addresses are removed. In past decisions,
      statements and the audit log, and in rules that name it, a pseudonym takes the place of its id. Reports and
      amounts stay as they are. This cannot be undone.
    </Confirm>
  );
}

/** For an id that is not in the list: its past can be erased, too. */
export function EraseButton({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <MayButton permission="requesters:write" variant="default" onClick={() => setOpen(true)}>
        Erase…
      </MayButton>
      {isOpen && <Erase id={id} name={id} onClose={() => setOpen(false)} />}
    </>
  );
}
