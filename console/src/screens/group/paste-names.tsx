import type { Preview, UserShort } from '@castellan/sdk';
import { Button, CopyButton, Group, List, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../../session/api.ts';
import { findByName } from '../../shared/by-name.ts';
import { DialogFoot } from '../../shared/dialog.tsx';
import { DialogButton } from '../../shared/dialog-form.tsx';
import { Name } from '../../shared/name.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { Problem } from '../../shared/problem.tsx';
import { count, t } from '../../text/text.ts';
import { parseNames } from './parse-names.ts';

interface PasteNamesProps {
  readonly members: readonly UserShort[];
  readonly add: (names: string[]) => Promise<unknown>;
  /** Computes the effect on people. */
  readonly preview: (names: string[]) => Promise<Preview>;
}

/** Adds many members at once from a pasted list, which is compared with the registered users before it is saved. */
export function PasteNames(props: PasteNamesProps) {
  return (
    <DialogButton wide label={t('Add members')}>
      {(close) => <Paste {...props} close={close} />}
    </DialogButton>
  );
}

function Paste({ members, add, preview, close }: PasteNamesProps & { readonly close: () => void }) {
  const { data: users } = useSuspenseQuery(queries.user.list());
  const field = useRef<HTMLTextAreaElement>(null);
  // Where the users are loaded first, the dialog has given the focus to its first button meanwhile.
  useEffect(() => field.current?.focus(), []);
  const [text, setText] = useState('');
  const settled = useDeferredValue(text);
  const [guests, setGuests] = useState<readonly UserShort[]>([]);
  const [looked, setLooked] = useState<ReadonlySet<string>>(new Set());
  const looking = useMutation({
    mutationFn: async (names: readonly string[]) => {
      for (const name of names) {
        const found = await findByName(name);
        setLooked((before) => new Set(before).add(name));
        if (found !== undefined) setGuests((before) => [...before, found]);
      }
    },
  });
  const { fresh, already, unknown } = useMemo(
    () => parseNames(settled, [...users, ...guests], members),
    [settled, users, guests, members],
  );
  const strange = unknown.filter((name) => !looked.has(name));
  const adding = useCareful({
    preview,
    save: async (names: string[]) => {
      await add(names);
      close();
    },
  });
  return (
    <Stack>
      <Textarea
        ref={field}
        label={t('Names')}
        description={t('One a line, or separated by commas; paste as many as you like.')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={5}
        maxRows={12}
        data-autofocus
      />
      {/* Not atomic, so that screen readers announce only what changed. */}
      <Stack gap="xs" role="status" aria-atomic="false">
        <Found title={count(fresh.length, '{n} will be added', '{n} will be added')} names={fresh} />
        <Found title={count(already.length, '{n} is a member', '{n} are members')} names={already} />
        <Found
          title={count(unknown.length, '{n} name is not known here', '{n} names are not known here')}
          names={unknown}
          copy={t('Copy the unknown names')}
        >
          {strange.length > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              loading={looking.isPending}
              onClick={() => looking.mutate(strange.slice(0, MOST))}
            >
              {strange.length > MOST
                ? t('Look for the first {n} among guests', { n: MOST })
                : t('Look among guests')}
            </Button>
          )}
        </Found>
      </Stack>
      <Problem error={looking.error} />
      {adding.dialog}
      <DialogFoot close={close} isPending={adding.isPending}>
        <Button
          disabled={fresh.length === 0}
          loading={adding.isPending}
          onClick={() => adding.run([...fresh])}
        >
          {count(fresh.length, 'Add {n} member', 'Add {n} members')}
        </Button>
      </DialogFoot>
    </Stack>
  );
}

/** Names that are looked for at a time: each is a request, and all that the user does shares one rate limit. */
const MOST = 50;

const SHOWN = 20;

interface FoundProps {
  readonly title: string;
  readonly names: readonly string[];
  /** The text of a button that copies all names, where more are found than shown. */
  readonly copy?: string;
  /** Further buttons. */
  readonly children?: ReactNode;
}

function Found({ title, names, copy, children }: FoundProps) {
  if (names.length === 0) return null;
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        {copy !== undefined && names.length > SHOWN && (
          <CopyButton value={names.join('\n')}>
            {({ copied, copy: take }) => (
              <Button size="compact-sm" variant="default" onClick={take}>
                {copied ? t('Copied') : copy}
              </Button>
            )}
          </CopyButton>
        )}
        {children}
      </Group>
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
