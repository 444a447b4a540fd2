import type { Migration } from 'kysely';
import * as registry from './0001_registry.ts';
import * as names from './0002_names.ts';
import * as histories from './0003_histories.ts';
import * as provider from './0004_provider.ts';
import * as loginRules from './0005_login_rules.ts';
import * as jobs from './0006_jobs.ts';
import * as voice from './0007_voice.ts';
import * as sync from './0008_sync.ts';
import * as turns from './0009_turns.ts';
import * as lockOrder from './0010_lock_order.ts';
import * as enumerations from './0011_enumerations.ts';
import * as bounds from './0012_bounds.ts';
import * as rateLimit from './0013_rate_limit.ts';
import * as signIn from './0014_sign_in.ts';
import * as service from './0015_service.ts';
import * as joinedAnswers from './0016_joined_answers.ts';
import * as repeatable from './0017_repeatable.ts';
import * as unreadColumns from './0018_unread_columns.ts';
import * as events from './0019_events.ts';
import * as oidc from './0023_oidc.ts';
import * as userSearch from './0025_user_search.ts';
import * as userPlaces from './0026_user_places.ts';
import * as persons from './0027_persons.ts';
import * as groupPolicies from './0028_group_policies.ts';
import * as applications from './0029_applications.ts';
import * as status from './0031_status.ts';
import * as webhooks from './0034_webhooks.ts';
import * as eventSubjects from './0035_event_subjects.ts';
import * as keptApplications from './0036_kept_applications.ts';
import * as scheduler from './0037_scheduler.ts';
import * as hiddenActors from './0038_hidden_actors.ts';
import * as claims from './0039_claims.ts';
import * as foundLosses from './0040_found_losses.ts';
import * as revisions from './0041_revisions.ts';
import * as packedAnswers from './0042_packed_answers.ts';
import * as inviters from './0043_inviters.ts';
import * as ownersHeard from './0044_owners_heard.ts';
import * as firstRuns from './0045_first_runs.ts';

/** Every migration in order; never edited once landed. */
export const migrations: Record<string, Migration> = {
  '0001_registry': registry,
  '0002_names': names,
  '0003_histories': histories,
  '0004_provider': provider,
  '0005_login_rules': loginRules,
  '0006_jobs': jobs,
  '0007_voice': voice,
  '0008_sync': sync,
  '0009_turns': turns,
  '0010_lock_order': lockOrder,
  '0011_enumerations': enumerations,
  '0012_bounds': bounds,
  '0013_rate_limit': rateLimit,
  '0014_sign_in': signIn,
  '0015_service': service,
  '0016_joined_answers': joinedAnswers,
  '0017_repeatable': repeatable,
  '0018_unread_columns': unreadColumns,
  '0019_events': events,
  '0023_oidc': oidc,
  '0025_user_search': userSearch,
  '0026_user_places': userPlaces,
  '0027_persons': persons,
  '0028_group_policies': groupPolicies,
  '0029_applications': applications,
  '0031_status': status,
  '0034_webhooks': webhooks,
  '0035_event_subjects': eventSubjects,
  '0036_kept_applications': keptApplications,
  '0037_scheduler': scheduler,
  '0038_hidden_actors': hiddenActors,
  '0039_claims': claims,
  '0040_found_losses': foundLosses,
  '0041_revisions': revisions,
  '0042_packed_answers': packedAnswers,
  '0043_inviters': inviters,
  '0044_owners_heard': ownersHeard,
  '0045_first_runs': firstRuns,
};
