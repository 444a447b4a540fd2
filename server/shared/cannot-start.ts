/** Why a program does not start, with advice for its operator; printed without a stack trace. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}
