import { Tabs } from '@mantine/core';
import { Part } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { Locations } from './locations.tsx';
import { Mails } from './mails.tsx';
import { SkillPoints } from './skill-points.tsx';
import { Wallet } from './wallet.tsx';

/** What is kept of a character, the newest first. */
export function Histories({ characterId }: { readonly characterId: number }) {
  const kinds = [
    { value: 'location', label: t('Location'), panel: <Locations characterId={characterId} /> },
    { value: 'skills', label: t('Skill points'), panel: <SkillPoints characterId={characterId} /> },
    { value: 'wallet', label: t('Wallet'), panel: <Wallet characterId={characterId} /> },
    { value: 'mail', label: t('Mail'), panel: <Mails characterId={characterId} /> },
  ];
  return (
    <Tabs defaultValue="location" keepMounted={false}>
      <Tabs.List>
        {kinds.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {kinds.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <Part rows={4}>{panel}</Part>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
