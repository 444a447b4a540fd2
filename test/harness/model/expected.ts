import type { ModelApplication, ModelCoalition, ModelGroup, ModelUser } from './world.ts';

/** What a request should be answered, and what, if anything, it shows. */
export interface Expected {
  readonly status: number;
  readonly coalition?: ModelCoalition;
  readonly group?: ModelGroup;
  readonly user?: ModelUser;
  readonly application?: ModelApplication;
  /** What a preview tells, in words. */
  readonly changes?: ReadonlySet<string>;
}

export const is = (status: number): Expected => ({ status });
