import { Code, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries } from '../../session/api.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Part } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

/** The latest crash reports. */
export function Crashes() {
  const { data: crashes } = useSuspenseQuery(queries.crash.list());
  if (crashes.length === 0) return <Text>{t('None. Nothing failed unforeseen in the last 90 days.')}</Text>;
  return (
    <ul className="rows">
      {crashes.map(({ id, timestamp, url, user }) => (
        <li key={id}>
          <Stack gap="xs" py="xs">
            <Text>
              <Code>{url}</Code> {user !== null && <Name of={user.character_name} />}{' '}
              <Moment at={timestamp} />
            </Text>
            <Trace id={id} />
            <div>
              <Confirm
                size="xs"
                label={t('Delete report')}
                question={t('The report {id} goes for good.', { id })}
                act={async () => {
                  await castellan.crash.delete({ params: { crash_report_id: id } });
                  await forget('crash');
                }}
              />
            </div>
          </Stack>
        </li>
      ))}
    </ul>
  );
}

function Trace({ id }: { readonly id: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('Report {id}', { id })}</summary>
      <Part>{open && <Report id={id} />}</Part>
    </details>
  );
}

function Report({ id }: { readonly id: string }) {
  const { data } = useSuspenseQuery(queries.crash.get({ params: { crash_report_id: id } }));
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      {data.trace}
    </Code>
  );
}
