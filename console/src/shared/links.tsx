import { Anchor, type AnchorProps, NavLink } from '@mantine/core';
import { createLink, useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { HOME } from '../session/place.ts';

/** Mantine's own, led by the router. */
export const LinkAnchor = createLink(
  (props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => <Anchor {...props} />,
);
export const LinkNav = createLink(NavLink<'a'>);

interface RowLinkProps {
  readonly to: '/user/$name' | `/${'group' | 'alliance' | 'corporation' | 'coalition'}/$id`;
  /** The name or id in it. */
  readonly of: string;
  readonly children: ReactNode;
}

/** A whole row of a list that leads somewhere: thousands scroll by, so none watches the address as other links do. */
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
