import type { Actor } from '@castellan/sdk';
import { t } from '../../text/text.ts';
import { Character } from '../character.tsx';

const KINDS: Readonly<Record<Actor['kind'], string>> = {
  user: 'a user',
  app: 'an application',
  job: 'a job',
  provider: 'the game',
  cli: 'a command beside the service',
};

/** The actor of an event: the user's name, or the kind of actor. */
export function Somebody({ actor }: { readonly actor: Actor }) {
  if (actor.character_id === null) return t(KINDS[actor.kind]);
  return (
    <>
      <Character id={actor.character_id} /> ({t(KINDS[actor.kind])})
      {actor.on_behalf_of !== null && (
        <>
          {' '}
          {t('on behalf of')} <Character id={actor.on_behalf_of} />
        </>
      )}
    </>
  );
}
