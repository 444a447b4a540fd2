import type { Group, GroupPolicy } from '@castellan/sdk';
import { Stack, Text } from '@mantine/core';
import { useLevel } from '../../session/me.ts';
import { Character } from '../../shared/character.tsx';
import { type Choice, useChoices } from '../../shared/choices.ts';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { Name } from '../../shared/name.tsx';
import { count, t } from '../../text/text.ts';
import { EditPolicy } from './edit-policy.tsx';
import { JOINING, REACH, VISIBLE_TO } from './policy-words.ts';

interface PolicyProps {
  readonly group: Group;
  readonly policy: GroupPolicy;
  readonly mayChange: boolean;
}

/** The policy of a group (D110). Level 9 is needed where the group sets `authorized_to_login` or the policy reaches persons. */
export function Policy({ group, policy, mayChange }: PolicyProps) {
  const isAdministrator = useLevel(ADMINISTRATOR);
  const reserved = whyReserved(group, policy);
  if (mayChange && (isAdministrator || reserved === undefined)) {
    return (
      <EditPolicy
        groupId={group.group_id}
        policy={policy}
        mayReachPersons={isAdministrator}
        isReserved={reserved !== undefined}
      />
    );
  }
  return (
    <Stack>
      {mayChange && <Text>{reserved}</Text>}
      <Shown policy={policy} />
    </Stack>
  );
}

/** Why only level 9 may change the policy; undefined where the owner may. */
function whyReserved(group: Group, policy: GroupPolicy): string | undefined {
  if (group.authorized_to_login !== null) {
    return t('The group has a say in logging in, so administrators alone change this.');
  }
  return policy.reach === 'person'
    ? t('It reaches persons, and tells by that who plays whom, so administrators alone change this.')
    : undefined;
}

function Shown({ policy }: { readonly policy: GroupPolicy }) {
  const { eligible, moderators, questions } = policy;
  const choices = useChoices();
  const hours = (n: number) => count(n, '{n} hour', '{n} hours');
  return (
    <dl className="facts">
      <dt>{t('Joining')}</dt>
      <dd>{t(JOINING[policy.joining])}</dd>
      <dt>{t('Seen by')}</dt>
      <dd>{t(VISIBLE_TO[policy.visible_to])}</dd>
      <dt>{t('Judged')}</dt>
      <dd>{t(REACH[policy.reach])}</dd>
      <Named title={t('Alliances')} ids={eligible.alliances} of={choices.alliances} />
      <Named title={t('Corporations')} ids={eligible.corporations} of={choices.corporations} />
      <Named title={t('Coalitions')} ids={eligible.coalitions} of={choices.coalitions} />
      <Named title={t('In one of the groups')} ids={eligible.groups_any} of={choices.groups} />
      <Named title={t('In none of the groups')} ids={eligible.groups_none} of={choices.groups} />
      {eligible.min_level > 0 && (
        <>
          <dt>{t('Level')}</dt>
          <dd>{t('{level} or more', { level: eligible.min_level })}</dd>
        </>
      )}
      <dt>{t('Moderators')}</dt>
      <dd>
        {moderators.users.map((id) => (
          <div key={id}>
            <Character id={id} />
          </div>
        ))}
        {t('The owner and administrators')}
      </dd>
      <Named title={t('Moderating groups')} ids={moderators.groups} of={choices.groups} />
      <dt>{t('Grace')}</dt>
      <dd>{t('{time} for members who may not be in it any more', { time: hours(policy.grace_hours) })}</dd>
      <dt>{t('Again')}</dt>
      <dd>{t('{time} after a rejection', { time: hours(policy.reapply_hours) })}</dd>
      <dt>{t('Open for')}</dt>
      <dd>{count(policy.expire_days, '{n} day', '{n} days')}</dd>
      {questions.length > 0 && (
        <>
          <dt>{t('Questions')}</dt>
          <dd>
            {questions.map((question) => (
              <div key={question}>
                <Name of={question} />
              </div>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}

interface NamedProps {
  readonly title: string;
  readonly ids: readonly (number | string)[];
  readonly of: readonly Choice[];
}

function Named({ title, ids, of }: NamedProps) {
  if (ids.length === 0) return null;
  const wanted = new Set(ids.map(String));
  const known = of.filter(({ value }) => wanted.has(value));
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {known.map(({ value, label }) => (
          <div key={value}>
            <Name of={label} />
          </div>
        ))}
        {known.length < ids.length &&
          count(ids.length - known.length, '{n} that is gone', '{n} that are gone')}
      </dd>
    </>
  );
}
