import type { Preview } from '@castellan/sdk';
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { t } from '../text/text.ts';
import { useDraft } from './draft.ts';
import { useCareful } from './preview-before-save.tsx';
import { SaveButtons } from './save-buttons.tsx';

interface LoginSettingProps {
  readonly value: boolean | null;
  /** Whether the user may set it. */
  readonly mayChange: boolean;
  /** Computes who would be let in or kept out. */
  readonly preview: (value: boolean) => Promise<Preview>;
  readonly save: (value: boolean) => Promise<unknown>;
}

/** The `authorized_to_login` of a group or coalition; once set, it can be changed but not unset (D3). */
export function LoginSetting({ value, mayChange, preview, save }: LoginSettingProps) {
  const says = {
    true: t('Lets its members in'),
    false: t('Keeps its members out, whoever else lets them in'),
    null: t('Says nothing'),
  }[String(value) as 'true' | 'false' | 'null'];
  return (
    <Stack>
      <Text>{says}</Text>
      {mayChange && <Edit value={value} preview={preview} save={save} />}
    </Stack>
  );
}

function Edit({ value, preview, save }: Omit<LoginSettingProps, 'mayChange'>) {
  const [chosen, choose] = useDraft(value);
  const careful = useCareful({ preview, save });
  return (
    <>
      <SegmentedControl
        aria-label={t('Logging in')}
        value={String(chosen)}
        onChange={(each) => choose(each === 'null' ? null : each === 'true')}
        data={[
          ...(value === null ? [{ value: 'null', label: t('Says nothing') }] : []),
          { value: 'true', label: t('Let in') },
          { value: 'false', label: t('Keep out') },
        ]}
      />
      {value === null && chosen !== null && (
        <Text size="sm" c="dimmed">
          {t('Once saved it can be changed, but not made to say nothing again.')}
        </Text>
      )}
      {careful.dialog}
      <SaveButtons
        same={chosen === value}
        isPending={careful.isPending}
        save={() => chosen !== null && careful.run(chosen)}
        takeBack={() => {
          choose(value);
          careful.reset();
        }}
      />
    </>
  );
}
