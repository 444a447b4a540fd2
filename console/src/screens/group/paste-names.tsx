import type { UserShort } from '@castellan/sdk';
import { Button, Group, List, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { queries } from '../../session/api.ts';
import { Name } from '../../shared/name.tsx';
import { Problem } from '../../shared/problem.tsx';
import { Part } from '../../shared/screen.tsx';
import { count, t } from '../../text/text.ts';
import { parseNames } from './parse-names.ts';

interface PasteNamesProps {
  readonly members: readonly UserShort[];
  readonly add: (names: string[]) => Promise<unknown>;
}

/** Adds many members at once from a pasted list, which is compared with the registered users before it is saved. */
export function PasteNames(props: PasteNamesProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Add members')}</Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={t('Add members')} size="lg">
        <Part>
          <Paste {...props} close={() => setOpen(false)} />
        </Part>
      </Modal>
    </>
  );
}

function Paste({ members, add, close }: PasteNamesProps & { readonly close: () => void }) {
  const { data: users } = useSuspenseQuery(queries.user.list());
  const [text, setText] = useState('');
  const settled = useDeferredValue(text);
  const { fresh, already, unknown } = useMemo(
    () => parseNames(settled, users, members),
    [settled, users, members],
  );
  const adding = useMutation({ mutationFn: () => add([...fresh]), onSuccess: close });
  return (
    <Stack>
      <Textarea
        label={t('Names')}
        description={t('One a line, or separated by commas; paste as many as you like.')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={5}
        maxRows={12}
        data-autofocus
      />
      <Stack gap="xs" role="status">
        <Found title={count(fresh.length, '{n} will be added', '{n} will be added')} names={fresh} />
        <Found title={count(already.length, '{n} is a member', '{n} are members')} names={already} />
        <Found
          title={count(unknown.length, '{n} name is not known here', '{n} names are not known here')}
          names={unknown}
        />
      </Stack>
      <Problem error={adding.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button disabled={fresh.length === 0} loading={adding.isPending} onClick={() => adding.mutate()}>
          {count(fresh.length, 'Add {n} member', 'Add {n} members')}
        </Button>
      </Group>
    </Stack>
  );
}

const SHOWN = 20;

function Found({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <Text fw={600}>{title}</Text>
      <List size="sm">
        {names.slice(0, SHOWN).map((name) => (
          <List.Item key={name}>
            <Name of={name} />
          </List.Item>
        ))}
        {names.length > SHOWN && <List.Item>{t('and {n} more', { n: names.length - SHOWN })}</List.Item>}
      </List>
    </div>
  );
}
