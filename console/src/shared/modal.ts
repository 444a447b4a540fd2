/** Apart from the rest, so that it is loaded when a dialog is first opened: most visits open none. */
export { Modal } from '@mantine/core';
