import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { deleteCrashReport, getCrashReport, listCrashReports } from './crash.ts';

export function crashHandlers({ db, clock }: Services): Handlers<typeof contract.crash> {
  return {
    list: async () => ({ status: 200, body: await listCrashReports(db) }),
    get: async ({ params }) => ({ status: 200, body: await getCrashReport(db, params.crash_report_id) }),
    delete: async ({ admission, params }) => {
      await deleteCrashReport(db, admission, params.crash_report_id, clock.now());
      return { status: 200, body: undefined };
    },
  };
}
