import type { Actor } from '@castellan/sdk';
import { useQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { t } from '../../text/text.ts';

const KINDS: Readonly<Record<Actor['kind'], string>> = {
  user: 'a user',
  app: 'an application',
  job: 'a job',
  provider: 'the game',
  cli: 'a command beside the service',
};

/** Who did it, by name where there is one. */
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

function Character({ id }: { readonly id: number }) {
  const { data } = useQuery(queries.user.get({ params: { character_name: String(id) } }));
  if (data === undefined) return `#${id}`;
  return (
    <LinkAnchor to="/user/$name" params={{ name: data.character_name }}>
      <Name of={data.character_name} />
    </LinkAnchor>
  );
}
