import { Anchor, type AnchorProps, NavLink } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** Mantine's link components with the router's navigation. */
export const LinkAnchor = createLink(
  (props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => <Anchor {...props} />,
);
export const LinkNav = createLink(NavLink<'a'>);
/** A row of a list that is a link as a whole. */
export const RowLink = createLink((props: ComponentPropsWithRef<'a'>) => <a {...props} className="row" />);
