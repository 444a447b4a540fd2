import { CastellanError } from '@castellan/sdk';
import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { Unreachable } from '../session/unreachable.ts';
import { t } from '../text/text.ts';
import { withTimes } from '../text/time.ts';

/** An error with the API's message and the id of the request, which is also in the service's log. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  if (error === null || error === undefined) return null;
  return (
    <Alert color="red" role="alert" title={t('That did not work')} variant="light" className="problem">
      <Stack gap="xs" align="start">
        <Words error={error} />
        <RequestOf error={error} />
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('Try again')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The id of the failed request, which the service's log contains, too. */
export function RequestOf({ error }: { readonly error: unknown }) {
  if (!(error instanceof CastellanError) || error.requestId === undefined) return null;
  return (
    <Text size="xs">
      {t('Request')} <Code>{error.requestId}</Code>
    </Text>
  );
}

function Words({ error }: { readonly error: unknown }) {
  if (error instanceof Unreachable) return <Text>{t('The service cannot be reached.')}</Text>;
  if (!(error instanceof CastellanError)) {
    return <Text>{error instanceof Error ? error.message : String(error)}</Text>;
  }
  if (error.issues.length === 0) return <Text>{withTimes(error.message)}</Text>;
  return (
    <List size="sm">
      {error.issues.map(({ loc, msg }) => (
        <List.Item key={`${loc.join('.')} ${msg}`}>
          <Code>{loc.join('.')}</Code> {msg}
        </List.Item>
      ))}
    </List>
  );
}
