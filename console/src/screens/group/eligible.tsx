import type { GroupPolicy } from '@castellan/sdk';
import { Fieldset, Select, Stack } from '@mantine/core';
import { ChoicePicker } from '../../shared/choice-picker.tsx';
import { useChoices } from '../../shared/choices.ts';
import { ALL_LEVELS } from '../../shared/level-thresholds.ts';
import { t } from '../../text/text.ts';

type Conditions = GroupPolicy['eligible'];

interface EligibleProps {
  readonly groupId: string;
  readonly value: Conditions;
  readonly onChange: (conditions: Conditions) => void;
}

/** The conditions for members; without any, everybody may be a member. */
export function Eligible({ groupId, value, onChange }: EligibleProps) {
  const { alliances, corporations, coalitions, groups } = useChoices();
  const others = groups.filter((group) => group.value !== groupId);
  const set = (part: Partial<Conditions>) => onChange({ ...value, ...part });
  return (
    <Fieldset legend={t('Who may be a member')}>
      <Stack>
        <div className="grid">
          <ChoicePicker
            label={t('Of one of these alliances')}
            choices={alliances}
            value={value.alliances}
            onChange={(ids) => set({ alliances: ids })}
            read={Number}
          />
          <ChoicePicker
            label={t('or corporations')}
            choices={corporations}
            value={value.corporations}
            onChange={(ids) => set({ corporations: ids })}
            read={Number}
          />
          <ChoicePicker
            label={t('or coalitions')}
            choices={coalitions}
            value={value.coalitions}
            onChange={(ids) => set({ coalitions: ids })}
            read={String}
          />
        </div>
        <div className="grid">
          <ChoicePicker
            label={t('In one of these groups')}
            choices={others}
            value={value.groups_any}
            onChange={(groups_any) => set({ groups_any })}
            read={String}
          />
          <ChoicePicker
            label={t('In none of these groups')}
            choices={others}
            value={value.groups_none}
            onChange={(groups_none) => set({ groups_none })}
            read={String}
          />
          <Select
            label={t('Level')}
            data={ALL_LEVELS.map((level) => ({
              value: String(level),
              label: level === 0 ? t('Any') : t('{level} or more', { level }),
            }))}
            value={String(value.min_level)}
            onChange={(level) => set({ min_level: Number(level) })}
            allowDeselect={false}
          />
        </div>
      </Stack>
    </Fieldset>
  );
}
