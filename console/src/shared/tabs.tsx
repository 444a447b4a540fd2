import { Stack, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Changing } from './screen.tsx';

interface PartsProps {
  readonly of: readonly { readonly value: string; readonly label: string; readonly part: ReactNode }[];
}

/** The tabs of a screen. The first is open initially; the others are loaded when they are opened. */
export function Parts({ of }: PartsProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  // The chosen one may be gone, with the level that it needs.
  const open = (of.find(({ value }) => value === chosen) ?? of[0])?.value ?? null;
  return (
    <Tabs value={open} onChange={setChosen}>
      <Tabs.List>
        {of.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open ?? ''} pt="md">
        <Changing to={open}>
          {(shown) => <Stack>{of.find(({ value }) => value === shown)?.part}</Stack>}
        </Changing>
      </Tabs.Panel>
    </Tabs>
  );
}
