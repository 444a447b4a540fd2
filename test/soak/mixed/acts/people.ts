import * as openid from 'openid-client';
import { Browser } from '../../../harness/browser.ts';
import { type Act, OtherStatus, refused, unlessRefused } from '../act.ts';
import { pick } from '../scene.ts';

/** What people come for. */
export const people: readonly Act[] = [
  {
    name: 'sign in and log out',
    rate: 0.06,
    outside: true,
    run: ({ newcomers, signIn, as }) =>
      newcomers.lend(async (who) => {
        const { token } = as(await signIn(who));
        await token.current();
        await token.logout();
      }),
  },
  {
    name: 'two characters of one human',
    rate: 0.01,
    outside: true,
    run: ({ pairs, signIn, as }) =>
      pairs.lend(async ([main, alt]) => {
        const one = as(await signIn(main));
        const user_token = await signIn(alt);
        await one.person.link({ body: { user_token } });
        await one.person.update({ body: { main: main.id } });
        await one.person.current();
        await one.person.unlink({ params: { character_id: alt.id } });
        await as(user_token).token.logout();
        await one.token.logout();
      }),
  },
  {
    name: 'a guest',
    rate: 0.01,
    outside: true,
    run: (scene) =>
      scene.guests.lend(async (who) => {
        const { corporation } = pick(scene, scene.administrators).castellan;
        const params = { corporation_id: pick(scene, scene.people).corporationId };
        // 409: invitations that were not used are as many as there may be.
        await unlessRefused(409, async () => {
          const { state_code } = await corporation.createGuestCode({ params });
          const guest = scene.as(await scene.signIn(who, state_code));
          await refused(403, () => guest.token.current());
          await corporation.listGuests({ params });
          await guest.token.logout();
          await corporation.deleteGuest({ params: { ...params, character_id: who.id } });
        });
      }),
  },
  {
    name: 'OpenID Connect',
    rate: 0.03,
    outside: true,
    run: ({ newcomers, url, outside: { provider }, party }) =>
      newcomers.lend(async ({ id: characterId }) => {
        const browser = new Browser({ url, provider }, { choice: { characterId } });
        const scope = 'openid profile groups offline_access';
        const { landed, ...begun } = await party.visit(browser, { scope, prompt: 'consent' });
        if (landed.page !== undefined) throw new OtherStatus(landed.page.status, landed.html);
        const first = await party.redeem(begun, landed.url);
        await party.userinfo(first);
        const second = await openid.refreshTokenGrant(party.config, first.refresh_token ?? '');
        await openid.tokenRevocation(party.config, second.refresh_token ?? '');
      }),
  },
  {
    name: 'a voice identity',
    rate: 0.06,
    outside: true,
    run: ({ speakers, outside }) =>
      speakers.lend(async ({ person: { castellan, name }, clid }) => {
        const { challenge_nickname } = await castellan.voice.start();
        await outside.rename(clid, challenge_nickname);
        await castellan.voice.complete();
        await outside.rename(clid, name.slice(0, 30));
      }),
  },
];
