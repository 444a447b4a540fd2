import type { Application } from '@castellan/sdk';
import { Alert, Kbd, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useMe } from '../../session/me.ts';
import { type Listing, useListing } from '../../shared/listing.ts';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';
import { ApplicationCard } from './application-card.tsx';
import { type Asked, DecisionDialog } from './decision-dialog.tsx';
import { type Decision, isToDecide, useDecisions } from './decisions.ts';

interface ApplicationsProps {
  readonly of: Listing<Application>;
  readonly empty: string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const DECISIONS: Readonly<Record<string, Decision['decision']>> = { a: 'approved', r: 'rejected' };

/** Applications to decide, newest first, with buttons and keys. */
export function Applications({ of, empty }: ApplicationsProps) {
  const { decide, failures } = useDecisions();
  const me = useMe();
  const listing = useListing(of);
  const { entries: applications, hasNextPage } = listing;
  const [asked, setAsked] = useState<Asked>();
  const list = useRef<HTMLOListElement>(null);
  const focusAt = useFocusThatStays(list, applications);
  const send = (decision: Decision) => {
    focusAt(applications.indexOf(decision.application));
    setAsked(undefined);
    decide(decision);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = positionOf(event.target);
    const application = applications[at];
    const step = STEPS[event.key];
    const decision = DECISIONS[event.key];
    if (application === undefined || (step === undefined && decision === undefined)) return;
    event.preventDefault();
    if (step !== undefined) list.current?.querySelectorAll('article')[at + step]?.focus();
    else if (decision !== undefined && isToDecide(application, me)) setAsked({ application, decision });
  };
  return (
    <Stack>
      {failures.map(({ application, error }) => (
        <Alert key={application.application_id} variant="default" title={<Title of={application} />}>
          <Problem error={error} />
        </Alert>
      ))}
      {applications.length === 0 && !hasNextPage ? (
        <Text role="status">{empty}</Text>
      ) : (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('go from one to the next,')} <Kbd>A</Kbd> {t('approves,')} <Kbd>R</Kbd>{' '}
          {t('rejects.')}
        </Text>
      )}
      <ol className="cards" ref={list} onKeyDown={press} aria-label={t('Applications')} tabIndex={-1}>
        {applications.map((application, index) => (
          <li key={application.application_id} data-position={index}>
            <ApplicationCard
              application={application}
              approve={() => send({ application, decision: 'approved', reason: '', note: '' })}
              ask={(decision) => setAsked({ application, decision })}
            />
          </li>
        ))}
      </ol>
      <More of={listing} />
      <DecisionDialog asked={asked} close={() => setAsked(undefined)} decide={send} />
    </Stack>
  );
}

function Title({ of: { applicant, group } }: { readonly of: Application }) {
  return (
    <>
      <Name of={applicant.character_name} />, <Name of={group.group_name} />
    </>
  );
}

/** The index of the application that contains an element of the page; -1 when none does. */
function positionOf(target: EventTarget): number {
  const item = target instanceof Element ? target.closest('[data-position]') : null;
  return Number(item?.getAttribute('data-position') ?? -1);
}

/** After a decision, focuses the application that takes the place of the decided one. */
function useFocusThatStays(
  list: { readonly current: HTMLOListElement | null },
  applications: readonly Application[],
): (position: number) => void {
  const wanted = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list changes.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const articles = list.current?.querySelectorAll('article') ?? [];
    (articles[Math.min(wanted.current, articles.length - 1)] ?? list.current)?.focus();
    wanted.current = undefined;
  }, [list, applications]);
  return (position) => {
    wanted.current = position;
  };
}
