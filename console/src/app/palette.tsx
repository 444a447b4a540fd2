import { useEffect } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { laterPart } from '../shared/later.ts';
import { Part } from '../shared/screen.tsx';
import { t } from '../text/text.ts';

const Finder = laterPart(() => import('./palette-search.tsx'), 'Finder');

/** Opens the palette on Ctrl K, ⌘ K, or on / outside text fields. */
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

/** Searches screens and named records by a part of their name. */
export function Palette({ opened, close }: PaletteProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t('Find')}
      yOffset="10vh"
      centered={false}
      className="palette"
      // No animation, so that keys pressed immediately reach the field.
      transitionProps={{ duration: 0 }}
    >
      <Part rows={3}>
        <Finder close={close} />
      </Part>
    </Dialog>
  );
}
