import type { ModelApplication, ModelCoalition, ModelGroup, ModelUser } from './world.ts';

/** The expected status of a request, and the record in its answer, if any. */
export interface Expected {
  readonly status: number;
  readonly coalition?: ModelCoalition;
  readonly group?: ModelGroup;
  readonly user?: ModelUser;
  readonly application?: ModelApplication;
  /** The effects in a preview, in words. */
  readonly changes?: ReadonlySet<string>;
}

export const is = (status: number): Expected => ({ status });
