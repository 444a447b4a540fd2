import { Anchor, type AnchorProps, NavLink } from '@mantine/core';
import { createLink, useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { HOME } from '../session/addresses.ts';

/** Mantine's link components with the router's navigation. */
export const LinkAnchor = createLink(
  (props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => <Anchor {...props} />,
);
export const LinkNav = createLink(NavLink<'a'>);

interface RowLinkProps {
  readonly to: '/user/$character' | `/${'group' | 'alliance' | 'corporation' | 'coalition'}/$id`;
  /** The value of the parameter. */
  readonly of: string;
  readonly children: ReactNode;
}

/** A row of a list that is a link as a whole; for long lists without the subscriptions of the router's own links. */
export function RowLink({ to, of, children }: RowLinkProps) {
  const router = useRouter();
  const path = to.replace(/\$\w+/, () => encodeURIComponent(of));
  const preload = () => void router.preloadRoute({ to: path });
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: path });
  };
  return (
    <a className="row" href={`${HOME}${path}`} onPointerDown={preload} onClick={follow}>
      {children}
    </a>
  );
}
