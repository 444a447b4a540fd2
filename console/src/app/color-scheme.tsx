import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { DarkIcon, LightIcon } from '../shared/icons.tsx';
import { t } from '../text/text.ts';

/** A button that switches between light and dark. */
export function ColorScheme() {
  const scheme = useComputedColorScheme();
  const { setColorScheme } = useMantineColorScheme();
  const dark = scheme === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? t('Light colours') : t('Dark colours')}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <LightIcon /> : <DarkIcon />}
    </ActionIcon>
  );
}
