import type { ExtScope } from '@castellan/sdk';
import { Code, List, Text } from '@mantine/core';

/** A list of scopes. */
export function Scopes({ of, none }: { readonly of: readonly ExtScope[]; readonly none: string }) {
  if (of.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <List size="sm">
      {of.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code>
        </List.Item>
      ))}
    </List>
  );
}
