import { Stack, Tabs } from '@mantine/core';
import { createContext, type ReactNode, useState } from 'react';
import { Changing } from './screen.tsx';

/** Whether the part around is the chosen one: a former one stays in sight until that has loaded. */
export const Shown = createContext(true);

interface PartsProps {
  readonly of: readonly {
    readonly value: string;
    readonly label: string;
    readonly part: ReactNode;
    /** Whether what was filled in there stays while another part is looked at. */
    readonly keeps?: boolean;
  }[];
}

/** The tabs of a screen. The first is open initially; the others are loaded when they are opened. */
export function Parts({ of }: PartsProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string | null>>(new Set());
  // The chosen one may be gone, with the level that it needs.
  const open = (of.find(({ value }) => value === chosen) ?? of[0])?.value ?? null;
  const choose = (value: string | null) => {
    setLeft(new Set(left).add(open));
    setChosen(value);
  };
  return (
    <Tabs value={open} onChange={choose}>
      <Tabs.List>
        {of.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open ?? ''} pt="md">
        <Changing to={open} remounts={false}>
          {(shown) =>
            of
              .filter(({ value, keeps }) => value === shown || (keeps === true && left.has(value)))
              .map(({ value, part }) => (
                // Not an `Activity`, which would end the effect that asks before what is not saved is left.
                <div key={value} hidden={value !== shown}>
                  <Shown value={value === open}>
                    <Stack>{part}</Stack>
                  </Shown>
                </div>
              ))
          }
        </Changing>
      </Tabs.Panel>
    </Tabs>
  );
}
