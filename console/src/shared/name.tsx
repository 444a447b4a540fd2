import { isBlank, t } from '../text/text.ts';

/** A name from outside, isolated so that it cannot change the text direction of its surroundings. */
export function Name({ of }: { readonly of: string }) {
  return <bdi className="name">{isBlank(of) ? t('(no name)') : of}</bdi>;
}
