/** Why a program does not start, in words that its operator can act on; told without a trace. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}
