/**
 * The message of anything thrown. An AggregateError, by which Node reports that no address of a name can be connected
 * to, has none of its own: those of its parts then.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
