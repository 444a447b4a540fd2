import type { GroupPolicy } from '@castellan/sdk';
import { Fieldset } from '@mantine/core';
import { ChoicePicker } from '../../shared/choice-picker.tsx';
import { useChoices } from '../../shared/choices.ts';
import { t } from '../../text/text.ts';
import { PeoplePicker } from './people-picker.tsx';

interface ModeratorsProps {
  readonly value: GroupPolicy['moderators'];
  readonly onChange: (moderators: GroupPolicy['moderators']) => void;
}

/** The moderators of a policy: who decides applications besides the owner and administrators. */
export function Moderators({ value, onChange }: ModeratorsProps) {
  const { groups } = useChoices();
  return (
    <Fieldset legend={t('Who decides, besides the owner and administrators')}>
      <div className="grid">
        <PeoplePicker
          label={t('People')}
          description={t('By a part of the name.')}
          value={value.users}
          onChange={(users) => onChange({ ...value, users })}
        />
        <ChoicePicker
          label={t('Members of these groups')}
          description={t('Each of them decides.')}
          choices={groups}
          value={value.groups}
          onChange={(ids) => onChange({ ...value, groups: ids })}
          read={String}
        />
      </div>
    </Fieldset>
  );
}
