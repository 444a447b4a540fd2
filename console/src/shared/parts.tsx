import { Stack, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Part } from './screen.tsx';

interface PartsProps {
  readonly of: readonly { readonly value: string; readonly label: string; readonly part: ReactNode }[];
}

/** The tabs of a screen. The first is open initially; the others are loaded when they are opened. */
export function Parts({ of }: PartsProps) {
  return (
    <Tabs defaultValue={of[0]?.value ?? null} keepMounted={false}>
      <Tabs.List>
        {of.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {of.map(({ value, part }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <Part>
            <Stack>{part}</Stack>
          </Part>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
