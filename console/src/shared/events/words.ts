import { t } from '../../text/text.ts';

/** `group.members_changed` as people read it: the list of types grows, so unknown ones are read, too. */
export function wordsOf(type: string): string {
  const [subject = '', happened = ''] = type.split('.');
  const words = `${subject} ${happened.replaceAll('_', ' ')}`.trim();
  return t(words.charAt(0).toUpperCase() + words.slice(1));
}
