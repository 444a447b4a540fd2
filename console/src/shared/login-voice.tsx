import { SegmentedControl, Text } from '@mantine/core';
import { t } from '../text/text.ts';

interface LoginVoiceProps {
  readonly value: boolean | null;
  /** Absent: it is only shown. */
  readonly onChange?: (value: boolean) => void;
}

/** What a group or coalition says about logging in; once said, it cannot be unsaid (D3). */
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
