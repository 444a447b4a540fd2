import type { ComponentType } from 'react';
import {
  ApplicationsIcon,
  GroupsIcon,
  RegistryIcon,
  StandingIcon,
  SystemIcon,
  UsersIcon,
} from '../shared/icons.tsx';

/** A screen that the menu and the palette lead to. */
export interface Place {
  readonly to: '/' | '/groups' | '/registry' | '/users' | '/applications' | '/system';
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number }>;
  /** The level below which the service answers nothing of it. */
  readonly level: number;
}

export const PLACES: readonly Place[] = [
  { to: '/', label: 'My standing', icon: StandingIcon, level: 0 },
  { to: '/groups', label: 'Groups', icon: GroupsIcon, level: 0 },
  { to: '/registry', label: 'Registry', icon: RegistryIcon, level: 0 },
  { to: '/users', label: 'Users', icon: UsersIcon, level: 0 },
  { to: '/applications', label: 'Applications', icon: ApplicationsIcon, level: 10 },
  { to: '/system', label: 'System', icon: SystemIcon, level: 10 },
];
