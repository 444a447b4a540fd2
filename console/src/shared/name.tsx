import { t } from '../text/text.ts';

/** A name from outside, kept from turning the text around it. */
export function Name({ of }: { readonly of: string }) {
  return <bdi className="name">{of.trim() === '' ? t('(no name)') : of}</bdi>;
}
