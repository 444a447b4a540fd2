import { CastellanError, type JoinableGroup } from '@castellan/sdk';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { castellan, forget, queries } from '../../session/api.ts';
import { FieldsDialog } from '../../shared/fields-dialog.tsx';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { LinkAnchor } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { notify } from '../../shared/notices.tsx';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';
import { withTimes } from '../../text/time.ts';
import { Withdraw } from './withdraw.tsx';

/** The groups that users can join, each with whether this user may, and why (D111). */
export function Joinable() {
  const { data: groups } = useSuspenseQuery(queries.group.joinable());
  return (
    <FilteredList
      label={t('Groups to join')}
      items={groups}
      textOf={({ group }) => group.group_name}
      keyOf={({ group }) => group.group_id}
      empty={t('There is no group to join that you may see.')}
    >
      {(entry) => <Entry of={entry} />}
    </FilteredList>
  );
}

function Entry({ of: entry }: { readonly of: JoinableGroup }) {
  const { group, why } = entry;
  return (
    <div className="row">
      <Stack gap={0} miw={0}>
        <LinkAnchor to="/group/$id" params={{ id: group.group_id }}>
          <Name of={group.group_name} />
        </LinkAnchor>
        <Text size="sm" c="dimmed">
          {withTimes(why)}
        </Text>
      </Stack>
      <Way of={entry} />
    </div>
  );
}

/** The button for a group: join, apply or withdraw; none when the user may not join. */
function Way({ of: entry }: { readonly of: JoinableGroup }) {
  if (entry.application_id !== null) {
    return <Withdraw applicationId={entry.application_id} name={entry.group.group_name} />;
  }
  if (!entry.may_join) return null;
  return entry.joining === 'open' && entry.questions.length === 0 ? (
    <Join of={entry} />
  ) : (
    <Apply of={entry} />
  );
}

function Join({ of: { group } }: { readonly of: JoinableGroup }) {
  const joining = useMutation({ mutationFn: () => ask(group, '', [], []) });
  return (
    <Stack gap="xs" align="flex-end" className="act">
      <Button
        size="xs"
        aria-label={t('Join {name}', { name: group.group_name })}
        loading={joining.isPending}
        onClick={() => joining.mutate()}
      >
        {t('Join')}
      </Button>
      <Problem error={joining.error} />
    </Stack>
  );
}

function Apply({ of: { group, joining, questions } }: { readonly of: JoinableGroup }) {
  const { group_name: name } = group;
  const names = fieldNames(questions);
  const isOpen = joining === 'open';
  return (
    <div className="act">
      <FieldsDialog
        size="xs"
        label={isOpen ? t('Join {name}', { name }) : t('Apply to {name}', { name })}
        fields={[
          ...questions.map((label, index) => ({ name: names[index] ?? '', label, long: true })),
          { name: 'message', label: t('What you want to tell those who decide'), long: true },
        ]}
        submit={({ message = '', ...filled }) =>
          ask(
            group,
            message,
            names.map((name) => filled[name] ?? ''),
            questions,
          )
        }
      >
        {isOpen ? t('Join') : t('Apply')}
      </FieldsDialog>
    </div>
  );
}

/** A field for each question, the same wherever the question stands: what is typed follows it when others come. */
function fieldNames(questions: readonly string[]): string[] {
  return questions.map((question, index) => {
    const before = questions.slice(0, index).filter((one) => one === question).length;
    return `answer ${before} ${question}`;
  });
}

async function ask(
  { group_id, group_name }: JoinableGroup['group'],
  message: string,
  answers: string[],
  questions: string[],
) {
  const body = { message, answers, questions };
  const { state } = await castellan.group.apply({ params: { group_id }, body }).catch(async (error) => {
    if (error instanceof CastellanError && error.code === 'questions_changed') await forget('group');
    throw error;
  });
  notify(
    state === 'approved'
      ? t('You are a member of {name} now.', { name: group_name })
      : t('Your application to {name} is on its way.', { name: group_name }),
  );
  await forget('group', 'application', 'user');
}
