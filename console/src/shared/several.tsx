import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useState } from 'react';

interface SeveralProps extends MultiSelectProps {
  /** Whether what is offered belongs to what was typed; false while it is searched for elsewhere. */
  readonly found?: boolean;
}

/** A field to choose several by what is typed: Enter takes the first that fits, and never sends the form around. */
export function Several({ found = true, onSearchChange, ...props }: SeveralProps) {
  const [search, setSearch] = useState('');
  return (
    <MultiSelect
      {...props}
      searchable
      hidePickedOptions
      searchValue={search}
      onSearchChange={(text) => {
        setSearch(text);
        onSearchChange?.(text);
      }}
      // Not of all that there is: Enter once more would take that, too.
      selectFirstOptionOnChange={found && search !== ''}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && search !== '') event.preventDefault();
      }}
    />
  );
}
