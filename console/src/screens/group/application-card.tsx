import type { Application } from '@castellan/sdk';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useMe } from '../../session/me.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Problem } from '../../shared/problem.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { isBlank, t } from '../../text/text.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { type Decision, isToDecide, useDecision } from './decisions.ts';
import { STATES } from './policy-words.ts';

interface ApplicationCardProps {
  readonly application: Application;
  /** Whether somebody else decided it, or it ended, since it was shown. */
  readonly isGone: boolean;
}

const DECISIONS: Readonly<Record<string, Decision['decision']>> = { a: 'approved', r: 'rejected' };

/** An application: applicant, group, message and answers, and the decision. It stays in its place when it is decided. */
export function ApplicationCard({ application, isGone }: ApplicationCardProps) {
  const deciding = useDecision(application);
  const [asked, setAsked] = useState<Decision['decision']>();
  const card = useRef<HTMLElement>(null);
  const shown = deciding.data ?? application;
  const mayDecide = isToDecide(shown, useMe()) && !isGone;
  const isDone = deciding.isSuccess && asked === undefined;
  useEffect(() => {
    if (isDone && isFocusIn(card.current)) goOn(card.current);
  }, [isDone]);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const decision = DECISIONS[event.key];
    if (event.key === 'ArrowDown') cardsBeside(card.current).after.at(0)?.focus();
    else if (event.key === 'ArrowUp') cardsBeside(card.current).before.at(-1)?.focus();
    else if (decision !== undefined && mayDecide && !deciding.isPending) setAsked(decision);
    else return;
    event.preventDefault();
  };
  const { applicant, group, created_on } = application;
  const named = { name: applicant.character_name, group: group.group_name };
  return (
    <>
      <article
        className="card"
        ref={card}
        tabIndex={-1}
        data-open={mayDecide || undefined}
        onKeyDown={press}
        aria-label={t('{name} to {group}', named)}
      >
        <Stack gap="xs">
          <Group gap="xs" justify="space-between">
            <span>
              <UserLink of={applicant} /> {t('wants to join')}{' '}
              <LinkAnchor to="/group/$id" params={{ id: group.group_id }}>
                <Name of={group.group_name} />
              </LinkAnchor>
            </span>
            <Text size="sm" c="dimmed">
              <Moment at={created_on} />
            </Text>
          </Group>
          <Said by={application} />
          {shown.state !== 'pending' && <Decided application={shown} />}
          {isGone && shown.state === 'pending' && (
            <Text c="dimmed">{t('It waits no more: somebody decided it, or it ended.')}</Text>
          )}
          {mayDecide && (
            <Group gap="xs">
              <Button
                size="xs"
                aria-label={t('Approve {name} to {group}', named)}
                loading={deciding.isPending}
                onClick={() => deciding.mutate({ decision: 'approved' })}
              >
                {t('Approve')}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={t('Approve with words: {name} to {group}', named)}
                disabled={deciding.isPending}
                onClick={() => setAsked('approved')}
              >
                {t('Approve with words')}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={t('Reject {name} to {group}', named)}
                disabled={deciding.isPending}
                onClick={() => setAsked('rejected')}
              >
                {t('Reject')}
              </Button>
            </Group>
          )}
          {asked === undefined && <Problem error={deciding.error} />}
        </Stack>
      </article>
      {/* Beside the card, so that what is typed there is none of its keys. */}
      <DecisionDialog
        application={application}
        asked={asked}
        close={() => {
          setAsked(undefined);
          card.current?.focus();
        }}
        decide={deciding.mutateAsync}
      />
    </>
  );
}

/** Whether the focus is in the card, or was on a button of it that is gone. */
function isFocusIn(card: HTMLElement | null): boolean {
  const { activeElement, body } = document;
  return activeElement === body || card?.contains(activeElement) === true;
}

function cardsBeside(card: HTMLElement | null) {
  const list = card?.closest('ol');
  const cards = [...(list?.querySelectorAll('article') ?? [])];
  const at = cards.indexOf(card as HTMLElement);
  return { list, before: cards.slice(0, at), after: cards.slice(at + 1) };
}

/** Focuses the next application to decide, below or else above; the list where there is none. */
function goOn(card: HTMLElement | null): void {
  const { list, before, after } = cardsBeside(card);
  const isOpen = (each: HTMLElement) => each.dataset['open'] !== undefined;
  (after.find(isOpen) ?? before.findLast(isOpen) ?? list)?.focus();
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
