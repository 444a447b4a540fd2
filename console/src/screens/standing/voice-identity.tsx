import { ok } from '@castellan/sdk';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { castellan } from '../../session/api.ts';
import { Copyable } from '../../shared/copyable.tsx';
import { useNow } from '../../shared/now.ts';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';
import { distance, eveTime } from '../../text/time.ts';

/** A new challenge, and how many milliseconds the browser's clock is ahead of the service's, by which it ends. */
async function start() {
  const answer = await castellan.voice.start.answer();
  const { challenge_nickname: nickname, expiration_datetime } = await ok(answer);
  const sent = answer.headers.get('date');
  const ahead = sent === null ? 0 : Date.now() - Date.parse(sent);
  return { nickname, end: new Date(expiration_datetime), ahead };
}

/** Proves the user's identity on the voice server: take the nickname shown, then confirm. */
export function VoiceIdentity() {
  const here = useNow();
  const starting = useMutation({ mutationFn: start });
  const completing = useMutation({ mutationFn: () => castellan.voice.complete() });
  if (completing.isSuccess) {
    return <Text role="status">{t('The voice server knows you now. Take your own nickname again.')}</Text>;
  }
  const challenge = starting.data;
  const now = new Date(here.getTime() - (challenge?.ahead ?? 0));
  const isOver = challenge !== undefined && challenge.end <= now;
  return (
    <Stack align="flex-start">
      {isOver && <Text role="status">{t('The time for that nickname is over: take another one.')}</Text>}
      {challenge === undefined ? (
        <Text>{t('Show the voice server that you are this character.')}</Text>
      ) : (
        !isOver && (
          <>
            <Text>{t('On the voice server, set this as your nickname:')}</Text>
            <Copyable text={challenge.nickname} label={t('the nickname')} />
            <Text size="sm">
              {t('Until {time} EVE', { time: eveTime(challenge.end) })} ({distance(challenge.end, now)})
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
