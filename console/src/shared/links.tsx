import { Anchor, type AnchorProps, NavLink } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** Mantine's own, led by the router. */
export const LinkAnchor = createLink(
  (props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => <Anchor {...props} />,
);
export const LinkNav = createLink(NavLink<'a'>);
/** A whole row of a list that leads somewhere. */
export const RowLink = createLink((props: ComponentPropsWithRef<'a'>) => <a {...props} className="row" />);
