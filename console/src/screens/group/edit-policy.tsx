import type { GroupPolicy } from '@castellan/sdk';
import { Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { useDraft } from '../../shared/draft.ts';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { SaveButtons } from '../../shared/save-buttons.tsx';
import { type Chosen, changesOf, onTopOf } from '../../shared/with-theirs.ts';
import { t } from '../../text/text.ts';
import { Eligible } from './eligible.tsx';
import { Moderators } from './moderators.tsx';
import { JOINING, REACH, VISIBLE_TO } from './policy-words.ts';

interface EditPolicyProps {
  readonly groupId: string;
  readonly policy: GroupPolicy;
  /** Whether the user may set `reach` to `person`, which needs level 9 (D110). */
  readonly mayReachPersons: boolean;
  /** Whether it counts only once level 9 has set it, even without a change (D110). */
  readonly isReserved: boolean;
}

/** The form of a policy. Before it is saved, the users who would lose their membership are named (D121). */
export function EditPolicy({ groupId, policy, mayReachPersons, isReserved }: EditPolicyProps) {
  const [draft, setDraft] = useDraft(policy);
  const untouched = Object.keys(changesOf(policy, draft)).length === 0;
  const params = { group_id: groupId };
  const careful = useCareful({
    latest: (chosen: Chosen<GroupPolicy>) => onTopOf(policy, chosen),
    preview: (chosen) =>
      castellan.group.setPolicy.preview({ params, body: changesOf(chosen.base, chosen.draft) }),
    save: async (chosen) => {
      const saved = await castellan.group.setPolicy({ params, body: changesOf(chosen.base, chosen.draft) });
      queryClient.setQueryData(queries.group.policy({ params }).queryKey, saved);
      notify(t('The policy is saved.'));
      await forget('group', 'user', 'application');
    },
  });
  const set = (part: Partial<GroupPolicy>) => setDraft({ ...draft, ...part });
  return (
    <Stack>
      <div className="grid">
        <Choose
          label={t('Joining')}
          words={JOINING}
          value={draft.joining}
          onChange={(joining) => set({ joining })}
        />
        <Choose
          label={t('Seen by')}
          words={VISIBLE_TO}
          value={draft.visible_to}
          onChange={(visible_to) => set({ visible_to })}
        />
      </div>
      <Eligible groupId={groupId} value={draft.eligible} onChange={(eligible) => set({ eligible })} />
      {mayReachPersons ? (
        <Stack gap="xs">
          <Choose
            label={t('Judged')}
            words={REACH}
            value={draft.reach}
            onChange={(reach) => set({ reach })}
          />
          <Text size="sm" c="dimmed">
            {t('By persons, the owners of the groups that it names can find out who plays whom.')}
          </Text>
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          {t(
            'Each character counts for itself. To count all of a person by one would tell who plays whom, so administrators alone may set that.',
          )}
        </Text>
      )}
      <Moderators value={draft.moderators} onChange={(moderators) => set({ moderators })} />
      <Questions value={draft.questions} onChange={(questions) => set({ questions })} />
      <div className="grid">
        <Whole
          label={t('Grace in hours')}
          description={t('How long members stay who may not be in it any more.')}
          value={draft.grace_hours}
          onChange={(grace_hours) => set({ grace_hours })}
        />
        <Whole
          label={t('Hours until the next application')}
          description={t('After a rejection.')}
          value={draft.reapply_hours}
          onChange={(reapply_hours) => set({ reapply_hours })}
        />
        <Whole
          label={t('Days that an application is open')}
          description={t('Undecided, it ends afterwards.')}
          value={draft.expire_days}
          onChange={(expire_days) => set({ expire_days })}
        />
      </div>
      {isReserved && (
        <Text size="sm" c="dimmed">
          {t('What its owner had set before counts as closed, until an administrator saves it.')}
        </Text>
      )}
      {careful.dialog}
      <SaveButtons
        label={t('Save policy')}
        same={untouched}
        asItIs={isReserved}
        isPending={careful.isPending}
        save={() => careful.run({ base: policy, draft })}
        takeBack={() => {
          setDraft(policy);
          careful.reset();
        }}
      />
    </Stack>
  );
}

interface ChooseProps<Value extends string> {
  readonly label: string;
  readonly words: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choose<Value extends string>({ label, words, value, onChange }: ChooseProps<Value>) {
  const values = Object.keys(words) as Value[];
  return (
    <Select
      label={label}
      data={values.map((each) => ({ value: each, label: t(words[each]) }))}
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      allowDeselect={false}
    />
  );
}

interface WholeProps {
  readonly label: string;
  readonly description: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** More digits than the service allows, and few enough for a number that is written in digits. */
const MOST_DIGITS = 9;

/** A field for a whole number; 0 when it is empty. The service checks the maximum. */
function Whole({ label, description, value, onChange }: WholeProps) {
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="numeric"
      value={value}
      onChange={({ currentTarget }) =>
        onChange(Number(currentTarget.value.replace(/\D/g, '').slice(0, MOST_DIGITS)))
      }
    />
  );
}

interface QuestionsProps {
  readonly value: readonly string[];
  readonly onChange: (questions: string[]) => void;
}

/** A text field with one question in each line; an unfinished line is kept as it is typed. */
function Questions({ value, onChange }: QuestionsProps) {
  const [text, setText] = useState(value.join('\n'));
  const shown = linesOf(text).join('\n') === value.join('\n') ? text : value.join('\n');
  return (
    <Textarea
      label={t('Questions')}
      description={t('What applicants are asked: one a line.')}
      value={shown}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(linesOf(currentTarget.value));
      }}
      autosize
      minRows={2}
      maxRows={10}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
