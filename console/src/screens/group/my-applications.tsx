import type { Application } from '@castellan/sdk';
import { Badge, Stack, Text } from '@mantine/core';
import { applicationsAs } from '../../shared/known-listings.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { useListing } from '../../shared/listing.ts';
import { Moment } from '../../shared/moment.tsx';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { WindowedList } from '../../shared/windowed-list.tsx';
import { t } from '../../text/text.ts';
import { STATES } from './policy-words.ts';
import { Withdraw } from './withdraw.tsx';

/** The user's own applications with their states, newest first. */
export function MyApplications() {
  const applications = useListing(applicationsAs('applicant'));
  if (applications.entries.length === 0) return <Text>{t('You never applied to a group.')}</Text>;
  return (
    <Stack align="stretch">
      <WindowedList
        label={t('My applications')}
        items={applications.entries}
        keyOf={idOf}
        onEnd={applications.onEnd}
      >
        {({ application_id, group, state, reason, created_on }) => (
          <div className="row">
            <Stack gap={0} miw={0}>
              <LinkAnchor to="/group/$id" params={{ id: group.group_id }}>
                <Name of={group.group_name} />
              </LinkAnchor>
              {reason !== null && (
                <Text size="sm">
                  <Name of={reason} />
                </Text>
              )}
              <Text size="sm" c="dimmed">
                <Moment at={created_on} />
              </Text>
            </Stack>
            <Stack gap="xs" align="flex-end" className="act">
              <Badge variant="default" tt="none">
                {t(STATES[state])}
              </Badge>
              {/* Here, too, because the list of groups to join leaves out those that were hidden since. */}
              {state === 'pending' && <Withdraw applicationId={application_id} name={group.group_name} />}
            </Stack>
          </div>
        )}
      </WindowedList>
      <div>
        <More of={applications} />
      </div>
    </Stack>
  );
}

const idOf = ({ application_id }: Application) => application_id;
