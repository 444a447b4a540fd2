import { SegmentedControl, Text } from '@mantine/core';
import { t } from '../text/text.ts';

interface LoginVoiceProps {
  readonly value: boolean | null;
  /** Read-only when absent. */
  readonly onChange?: (value: boolean) => void;
}

/** The `authorized_to_login` of a group or coalition; once set, it can be changed but not unset (D3). */
export function LoginVoice({ value, onChange }: LoginVoiceProps) {
  const says = {
    true: t('Lets its members in'),
    false: t('Keeps its members out, whoever else lets them in'),
    null: t('Says nothing'),
  }[String(value) as 'true' | 'false' | 'null'];
  return (
    <>
      <Text>{says}</Text>
      {onChange !== undefined && (
        <SegmentedControl
          aria-label={t('Logging in')}
          value={String(value)}
          onChange={(chosen) => onChange(chosen === 'true')}
          data={[
            ...(value === null ? [{ value: 'null', label: t('Says nothing') }] : []),
            { value: 'true', label: t('Let in') },
            { value: 'false', label: t('Keep out') },
          ]}
        />
      )}
    </>
  );
}
