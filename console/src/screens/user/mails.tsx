import type { CharacterMailShort } from '@castellan/sdk';
import { Button, Stack, Text } from '@mantine/core';
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { entriesOnce } from '../../shared/entries-once.ts';
import { Moment } from '../../shared/moment.tsx';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { Part } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

/** The mailbox of a character; a click on the subject opens a mail. */
export function Mails({ characterId }: { readonly characterId: number }) {
  const [open, setOpen] = useState<CharacterMailShort>();
  const history = useSuspenseInfiniteQuery(
    queries.history.mails.infinite({ params: { character_id: characterId } }),
  );
  const mails = entriesOnce(history.data.pages, ({ mail_id }) => mail_id);
  if (mails.length === 0) return <Text>{t('No mail was stored yet.')}</Text>;
  return (
    <Stack align="flex-start">
      <ul className="rows" style={{ width: '100%' }}>
        {mails.map((mail) => (
          <li key={mail.mail_id} className="row">
            <div>
              <Text fw={600}>
                <Name of={mail.subject} />
              </Text>
              <Text size="sm">
                <Name of={mail.from_character.character_name} />, <Moment at={mail.timestamp} />
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              aria-label={t('Read {subject}', { subject: mail.subject })}
              onClick={() => setOpen(mail)}
            >
              {t('Read')}
            </Button>
          </li>
        ))}
      </ul>
      <More of={history} />
      <Dialog opened={open !== undefined} onClose={() => setOpen(undefined)} title={t('Mail')} size="lg">
        <Part>{open !== undefined && <Mail characterId={characterId} mailId={open.mail_id} />}</Part>
      </Dialog>
    </Stack>
  );
}

function Mail({ characterId, mailId }: { readonly characterId: number; readonly mailId: number }) {
  const params = { character_id: characterId, mail_id: mailId };
  const { data: mail } = useSuspenseQuery(queries.history.mail({ params }));
  return (
    <Stack gap="xs">
      <Text fw={600}>
        <Name of={mail.subject} />
      </Text>
      <Text size="sm">
        {t('From')} <Name of={mail.from_name} />
      </Text>
      <Text size="sm">
        {t('To')} <Name of={mail.recipients.map(({ recipient_name }) => recipient_name).join(', ')} />
      </Text>
      <Text style={{ whiteSpace: 'pre-wrap' }}>
        <bdi>{mail.body}</bdi>
      </Text>
    </Stack>
  );
}
