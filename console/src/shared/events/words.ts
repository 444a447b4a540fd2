import { t } from '../../text/text.ts';

/** Describes an event type such as `group.members_changed`. Derived from its name, so that new types work too. */
export function wordsOf(type: string): string {
  const [subject = '', happened = ''] = type.split('.');
  const words = `${subject} ${happened.replaceAll('_', ' ')}`.trim();
  return t(words.charAt(0).toUpperCase() + words.slice(1));
}
