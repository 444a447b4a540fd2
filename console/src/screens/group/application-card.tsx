import type { Application } from '@castellan/sdk';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMe } from '../../session/me.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { isBlank, t } from '../../text/text.ts';
import { type Decision, isToDecide } from './decisions.ts';
import { STATES } from './policy-words.ts';

interface ApplicationCardProps {
  readonly application: Application;
  readonly approve: () => void;
  /** Opens the dialog for a decision with a reason. */
  readonly ask: (decision: Decision['decision']) => void;
}

/** An application: applicant, group, message and answers, and the decision if there is one. */
export function ApplicationCard({ application, approve, ask }: ApplicationCardProps) {
  const { applicant, group, state, created_on } = application;
  const mayDecide = isToDecide(application, useMe());
  const named = { name: applicant.character_name, group: group.group_name };
  return (
    <article className="card" tabIndex={-1} aria-label={t('{name} to {group}', named)}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <span>
            <LinkAnchor to="/user/$name" params={{ name: applicant.character_name }}>
              <Name of={applicant.character_name} />
            </LinkAnchor>{' '}
            {t('wants to join')}{' '}
            <LinkAnchor to="/group/$id" params={{ id: group.group_id }}>
              <Name of={group.group_name} />
            </LinkAnchor>
          </span>
          <Text size="sm" c="dimmed">
            <Moment at={created_on} />
          </Text>
        </Group>
        <Said by={application} />
        {state !== 'pending' && <Decided application={application} />}
        {mayDecide && (
          <Group gap="xs">
            <Button size="xs" aria-label={t('Approve {name} to {group}', named)} onClick={approve}>
              {t('Approve')}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-label={t('Approve with words: {name} to {group}', named)}
              onClick={() => ask('approved')}
            >
              {t('Approve with words')}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-label={t('Reject {name} to {group}', named)}
              onClick={() => ask('rejected')}
            >
              {t('Reject')}
            </Button>
          </Group>
        )}
      </Stack>
    </article>
  );
}

function Said({ by: { message, questions, answers } }: { readonly by: Application }) {
  return (
    <>
      {message !== '' && (
        <Text>
          <Name of={message} />
        </Text>
      )}
      {answers.length > 0 && (
        <dl className="answers">
          {answers.map((answer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: answers are identified by their index alone.
            <div key={index}>
              <dt>
                <Name of={questions[index] ?? ''} />
              </dt>
              <dd>{isBlank(answer) ? t('No answer.') : <Name of={answer} />}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Decided({
  application: { state, decided_by, decided_on, reason, note },
}: {
  readonly application: Application;
}) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant="default" tt="none">
          {t(STATES[state])}
        </Badge>
        {decided_by !== null && <Name of={decided_by.character_name} />}
        {decided_on !== null && (
          <Text size="sm" c="dimmed">
            <Moment at={decided_on} />
          </Text>
        )}
      </Group>
      {reason !== null && <Name of={reason} />}
      {note !== null && (
        <Text size="sm">
          {t('Among moderators:')} <Name of={note} />
        </Text>
      )}
    </Stack>
  );
}
