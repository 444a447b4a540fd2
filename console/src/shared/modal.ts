/** A module of its own, so that its code is loaded when the first dialog opens. */
export { Modal } from '@mantine/core';
