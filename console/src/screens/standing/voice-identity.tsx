import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { castellan } from '../../session/api.ts';
import { Copyable } from '../../shared/copyable.tsx';
import { Moment } from '../../shared/moment.tsx';
import { useNow } from '../../shared/now.ts';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';

/** Proves the user's identity on the voice server: take the nickname shown, then confirm. */
export function VoiceIdentity() {
  const now = useNow();
  const starting = useMutation({ mutationFn: () => castellan.voice.start() });
  const completing = useMutation({ mutationFn: () => castellan.voice.complete() });
  if (completing.isSuccess) {
    return <Text role="status">{t('The voice server knows you now. Take your own nickname again.')}</Text>;
  }
  const challenge = starting.data;
  const isOver = challenge !== undefined && new Date(challenge.expiration_datetime) <= now;
  return (
    <Stack align="flex-start">
      {isOver && <Text role="status">{t('The time for that nickname is over: take another one.')}</Text>}
      {challenge === undefined ? (
        <Text>{t('Show the voice server that you are this character.')}</Text>
      ) : (
        !isOver && (
          <>
            <Text>{t('On the voice server, set this as your nickname:')}</Text>
            <Copyable text={challenge.challenge_nickname} label={t('the nickname')} />
            <Text size="sm">
              {t('Until')} <Moment at={challenge.expiration_datetime} />
            </Text>
          </>
        )
      )}
      <Problem error={completing.error ?? starting.error} />
      <Group>
        {challenge !== undefined && !isOver && (
          <Button onClick={() => completing.mutate()} loading={completing.isPending}>
            {t('I have that nickname')}
          </Button>
        )}
        <Button
          variant="default"
          onClick={() => {
            completing.reset();
            starting.mutate();
          }}
          loading={starting.isPending}
        >
          {challenge === undefined ? t('Begin') : t('Another nickname')}
        </Button>
      </Group>
    </Stack>
  );
}
