import { Code, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { t } from '../../text/text.ts';

/** The settings in force; the service never sends secrets. */
export function Configuration() {
  const { data } = useSuspenseQuery(queries.system.configuration());
  return (
    <>
      <Text>{t('As the service runs now; every secret is hidden.')}</Text>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(data, null, 2)}
      </Code>
    </>
  );
}
