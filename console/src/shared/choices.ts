import { useSuspenseQueries } from '@tanstack/react-query';
import { queries } from '../session/api.ts';
import { isBlank } from '../text/text.ts';

/** A record to choose: its id as text, and its name. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Choices {
  readonly alliances: readonly Choice[];
  readonly corporations: readonly Choice[];
  readonly coalitions: readonly Choice[];
  readonly groups: readonly Choice[];
}

/** All registered alliances, corporations, coalitions and groups. */
export function useChoices(): Choices {
  const [alliances, corporations, coalitions, groups] = useSuspenseQueries({
    queries: [
      queries.alliance.list(),
      queries.corporation.list(),
      queries.coalition.list(),
      queries.group.list(),
    ],
  });
  return {
    alliances: alliances.data.map((each) => choice(each.alliance_id, each.alliance_name)),
    corporations: corporations.data.map((each) => choice(each.corporation_id, each.corporation_name)),
    coalitions: coalitions.data.map((each) => choice(each.coalition_id, each.coalition_name)),
    groups: groups.data.map((each) => choice(each.group_id, each.group_name)),
  };
}

function choice(id: number | string, name: string): Choice {
  return { value: String(id), label: isBlank(name) ? `#${id}` : name };
}
