import type { CharacterLocation } from '@castellan/sdk';
import { Stack, Table, Text } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { entriesOnce } from '../../shared/entries-once.ts';
import { Moment } from '../../shared/moment.tsx';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { t } from '../../text/text.ts';

/** The history of a character's location and ship. */
export function Locations({ characterId }: { readonly characterId: number }) {
  const history = useSuspenseInfiniteQuery(
    queries.history.locations.infinite({ params: { character_id: characterId } }),
  );
  const places = entriesOnce(history.data.pages, ({ timestamp }) => timestamp);
  if (places.length === 0) return <Text>{t('No location was stored yet.')}</Text>;
  return (
    <Stack align="flex-start">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focusable, so that it can be scrolled by keyboard. */}
      <section className="table" style={{ width: '100%' }} tabIndex={0} aria-label={t('Locations')}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('When')}</Table.Th>
              <Table.Th>{t('Where')}</Table.Th>
              <Table.Th>{t('Ship')}</Table.Th>
              <Table.Th>{t('In the game')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {places.map((place) => (
              <Table.Tr key={place.timestamp}>
                <Table.Td>
                  <Moment at={place.timestamp} />
                </Table.Td>
                <Table.Td>
                  <Name of={whereOf(place)} />
                </Table.Td>
                <Table.Td>
                  {place.ship_type_name} <Name of={place.ship_name} />
                </Table.Td>
                <Table.Td>{place.online ? t('Yes') : t('No')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      <More of={history} />
    </Stack>
  );
}

function whereOf(place: CharacterLocation): string {
  const dock = place.station_name ?? place.structure_name;
  return dock === null ? place.solar_system_name : `${place.solar_system_name}: ${dock}`;
}
