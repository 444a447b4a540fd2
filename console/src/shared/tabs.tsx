import { Stack, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Changing } from './screen.tsx';

interface PartsProps {
  readonly of: readonly { readonly value: string; readonly label: string; readonly part: ReactNode }[];
}

/** The tabs of a screen. The first is open initially; the others are loaded when they are opened. */
export function Parts({ of }: PartsProps) {
  const [chosen, setChosen] = useState<string | null>(of[0]?.value ?? null);
  return (
    <Tabs value={chosen} onChange={setChosen}>
      <Tabs.List>
        {of.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={chosen ?? ''} pt="md">
        <Changing to={chosen}>
          {(shown) => <Stack>{of.find(({ value }) => value === shown)?.part}</Stack>}
        </Changing>
      </Tabs.Panel>
    </Tabs>
  );
}
