import type { ExtScope } from '@castellan/sdk';
import { EXT_SCOPES } from '@castellan/sdk/scopes';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../shared/notices.tsx';
import { Problem } from '../../shared/problem.tsx';
import { ScopePicker, Scopes } from '../../shared/scope-picker.tsx';
import { t } from '../../text/text.ts';

interface RequirementsProps {
  /** What the record itself requires. */
  readonly own: readonly ExtScope[];
  /** With what those above it require, where there is somebody above. */
  readonly cumulated?: readonly ExtScope[];
  /** Absent: it is only shown. */
  readonly save?: (scopes: ExtScope[]) => Promise<unknown>;
}

/** Which scopes a corporation, an alliance or a coalition requires of its members. */
export function Requirements({ own, cumulated, save }: RequirementsProps) {
  const inherited = (cumulated ?? []).filter((scope) => !own.includes(scope));
  return (
    <Stack gap="sm">
      {save === undefined ? (
        <Scopes of={own} none={t('It requires no scope itself.')} />
      ) : (
        <Edit own={own} save={save} />
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

function Edit({
  own,
  save,
}: {
  readonly own: readonly ExtScope[];
  readonly save: (scopes: ExtScope[]) => Promise<unknown>;
}) {
  const [scopes, setScopes] = useState<readonly ExtScope[]>(own);
  const saving = useMutation({
    mutationFn: () => save([...scopes]),
    onSuccess: () => notify(t('The required scopes are saved.')),
  });
  const same = scopes.length === own.length && scopes.every((scope) => own.includes(scope));
  return (
    <Stack gap="sm">
      <ScopePicker label={t('Required of members')} value={scopes} known={EXT_SCOPES} onChange={setScopes} />
      <Problem error={saving.error} />
      <Group>
        <Button disabled={same} loading={saving.isPending} onClick={() => saving.mutate()}>
          {t('Save')}
        </Button>
        {!same && (
          <Button variant="default" onClick={() => setScopes(own)}>
            {t('Take back')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
