import type { ExtScope, Preview } from '@castellan/sdk';
import { EXT_SCOPES } from '@castellan/sdk/scopes';
import { Stack, Text } from '@mantine/core';
import { useDraft } from '../../shared/draft.ts';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { SaveButtons } from '../../shared/save-buttons.tsx';
import { ScopePicker } from '../../shared/scope-picker.tsx';
import { Scopes } from '../../shared/scopes.tsx';
import { type Chosen, onTopOf } from '../../shared/with-theirs.ts';
import { t } from '../../text/text.ts';

interface RequirementsProps {
  /** The scopes that the record itself requires. */
  readonly own: readonly ExtScope[];
  /** Together with the scopes that its alliance and coalitions require. */
  readonly cumulated?: readonly ExtScope[];
  /** Read-only when absent. */
  readonly save?: (scopes: ExtScope[]) => Promise<unknown>;
  /** Computes whose grants would no longer suffice, or suffice again. */
  readonly preview?: (scopes: ExtScope[]) => Promise<Preview>;
}

/** The scopes that a corporation, an alliance or a coalition requires of its members. */
export function Requirements({ own, cumulated, save, preview }: RequirementsProps) {
  const inherited = (cumulated ?? []).filter((scope) => !own.includes(scope));
  return (
    <Stack gap="sm">
      {save === undefined || preview === undefined ? (
        <Scopes of={own} none={t('It requires no scope itself.')} />
      ) : (
        <Edit own={own} save={save} preview={preview} />
      )}
      {inherited.length > 0 && (
        <>
          <Text fw={600}>{t('Required by those that it belongs to')}</Text>
          <Scopes of={inherited} none="" />
        </>
      )}
    </Stack>
  );
}

function Edit({ own, save, preview }: Required<Omit<RequirementsProps, 'cumulated'>>) {
  const [scopes, setScopes] = useDraft(own);
  const careful = useCareful({
    latest: (chosen: Chosen<readonly ExtScope[]>) => onTopOf(own, chosen),
    preview: ({ draft }) => preview([...draft]),
    save: async ({ draft }) => {
      await save([...draft]);
      notify(t('The required scopes are saved.'));
    },
  });
  return (
    <Stack gap="sm">
      <ScopePicker label={t('Required of members')} value={scopes} known={EXT_SCOPES} onChange={setScopes} />
      {careful.dialog}
      <SaveButtons
        same={areSame(scopes, own)}
        isPending={careful.isPending}
        save={() => careful.run({ base: own, draft: scopes })}
        takeBack={() => {
          setScopes(own);
          careful.reset();
        }}
      />
    </Stack>
  );
}

function areSame(some: readonly ExtScope[], others: readonly ExtScope[]): boolean {
  return some.length === others.length && some.every((scope) => others.includes(scope));
}
