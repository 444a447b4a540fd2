import type { User } from '@castellan/sdk';
import { EventList } from '../../shared/events/event-list.tsx';
import { eventsOf } from '../../shared/known-listings.ts';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { Locations } from './locations.tsx';
import { Mails } from './mails.tsx';
import { SkillPoints } from './skill-points.tsx';
import { ThenAndNow } from './then-and-now.tsx';
import { Wallet } from './wallet.tsx';

/** The events of a character and its histories, newest first. */
export function Histories({ user }: { readonly user: User }) {
  const characterId = user.character_id;
  const kinds = [
    // First, because reading the others is recorded (D91), and nobody chose to do that by opening the screen.
    {
      value: 'timeline',
      label: t('Timeline'),
      part: <EventList of={eventsOf({ target: `user:${characterId}` })} />,
    },
    { value: 'location', label: t('Location'), part: <Locations characterId={characterId} /> },
    { value: 'skills', label: t('Skill points'), part: <SkillPoints characterId={characterId} /> },
    { value: 'wallet', label: t('Wallet'), part: <Wallet characterId={characterId} /> },
    { value: 'mail', label: t('Mail'), part: <Mails characterId={characterId} /> },
    { value: 'then', label: t('Then and now'), part: <ThenAndNow user={user} /> },
  ];
  return <Parts of={kinds} />;
}
