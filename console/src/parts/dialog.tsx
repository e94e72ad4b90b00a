/**
 * A dialog, open as long as it is there. Promise: what was typed is not lost by a click beside it, and a secret that is
 * shown once by no click beside it and no Escape.
 */
import { Modal, type ModalProps } from '@mantine/core';
import { createContext, type SyntheticEvent, useContext, useEffect, useState } from 'react';
import { useReturnedFocus } from './returned-focus.ts';

const KeepContext = createContext<() => void>(() => {});

/** For what is shown once: the dialog around it closes only by its buttons. */
export function useKeptDialog(): void {
  const keep = useContext(KeepContext);
  useEffect(keep, [keep]);
}

/** A choice, or a button that fills in something: neither is an input event. */
const CHOICES = '[role="option"], form button[type="button"]';

export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  useReturnedFocus();
  const [isEdited, setEdited] = useState(false);
  const [isKept, setKept] = useState(false);
  const [keep] = useState(() => () => setKept(true));
  const notice = ({ target }: SyntheticEvent) => {
    if (target instanceof Element && target.closest(CHOICES) !== null) setEdited(true);
  };
  return (
    <Modal
      {...props}
      opened
      closeOnClickOutside={!isEdited && !isKept}
      closeOnEscape={!isKept}
      onInput={() => setEdited(true)}
      onClick={notice}
    >
      <KeepContext value={keep}>{children}</KeepContext>
    </Modal>
  );
}
