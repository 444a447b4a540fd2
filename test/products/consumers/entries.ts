import { CastellanError, type ClientOptions, createCastellan, type Group, paginate } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { createGuard, createVerifier } from '@castellan/sdk/server';
import { SignInError, signIn } from '@castellan/sdk/sign-in';
import { Group as GroupSchema } from '@castellan/sdk/zod';

const options: ClientOptions = { baseUrl: 'https://castellan.example', token: async () => undefined };
const castellan = createCastellan(options);
const queries = createQueries(castellan);

export async function useEverything(signal: AbortSignal): Promise<Group> {
  for await (const { balance } of paginate(castellan.history.wallet, { params: { character_id: 1 } })) {
    balance.toFixed(2);
  }
  const { queryFn } = queries.group.get({ params: { group_id: 'g' } });
  const group: Group = await queryFn({ signal });
  const parsed: Group = GroupSchema.parse(group);
  const guard = createGuard({
    baseUrl: 'https://castellan.example',
    appToken: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
  });
  const { owner } = await guard.check('Bearer a.b.c', { level: 2 });
  const { characterId } = await createVerifier({
    issuer: 'https://castellan.example',
    appToken: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
  })('a.b.c');
  if (owner.character_id !== characterId) throw new SignInError('Somebody else');
  signIn.start({ login_url: '', state_code: '' });
  const answer = await castellan.group.list.answer();
  if (answer.status !== 200) throw new CastellanError(answer);
  return answer.body.length > 0 ? parsed : group;
}
