/** A dialog, open as long as it is there. */
import { Modal, type ModalProps } from '@mantine/core';
import { useReturnedFocus } from './returned-focus.ts';

export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useReturnedFocus();
  return <Modal {...props} opened />;
}
