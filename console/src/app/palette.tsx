import { useEffect } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { later } from '../shared/later.ts';
import { Part } from '../shared/screen.tsx';
import { t } from '../text/text.ts';

const Finder = later(() => import('./finder.tsx'), 'Finder');

/** Opens the palette by Ctrl K, ⌘ K, or / where nothing is being typed. */
export function usePaletteKeys(open: () => void): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, [role=textbox]');
      const asked = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing);
      if (!asked) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open]);
}

interface PaletteProps {
  readonly opened: boolean;
  readonly close: () => void;
}

/** A dialog in which anything is found. */
export function Palette({ opened, close }: PaletteProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t('Find')}
      yOffset="10vh"
      centered={false}
      className="palette"
      // What is typed at once must not be lost.
      transitionProps={{ duration: 0 }}
    >
      <Part rows={3}>
        <Finder close={close} />
      </Part>
    </Dialog>
  );
}
