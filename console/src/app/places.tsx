import type { ComponentType } from 'react';
import {
  ApplicationsIcon,
  AuditIcon,
  GroupsIcon,
  InboxIcon,
  RegistryIcon,
  SearchIcon,
  StandingIcon,
  SystemIcon,
  TrailIcon,
  UsersIcon,
} from '../shared/icons.tsx';
import { ADMINISTRATOR, READS_CORPORATION, SUPERUSER } from '../shared/level-thresholds.ts';
import { Waiting } from './waiting.tsx';

/** A screen that the menu and the palette lead to. */
export interface Place {
  readonly to:
    | '/'
    | '/characters'
    | '/groups'
    | '/inbox'
    | '/registry'
    | '/trail'
    | '/audit'
    | '/users'
    | '/applications'
    | '/system';
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number }>;
  /** The lowest level for which the service answers the screen's requests. */
  readonly level: number;
  /** Rendered beside the name in the menu. */
  readonly Beside?: ComponentType;
}

export const PLACES: readonly Place[] = [
  { to: '/', label: 'My standing', icon: StandingIcon, level: 0 },
  { to: '/characters', label: 'My characters', icon: UsersIcon, level: 0 },
  { to: '/trail', label: 'My trail', icon: TrailIcon, level: 0 },
  { to: '/groups', label: 'Groups', icon: GroupsIcon, level: 0 },
  { to: '/inbox', label: 'Inbox', icon: InboxIcon, level: 0, Beside: Waiting },
  { to: '/registry', label: 'Registry', icon: RegistryIcon, level: 0 },
  { to: '/users', label: 'Users', icon: SearchIcon, level: 0 },
  { to: '/audit', label: 'Audit', icon: AuditIcon, level: READS_CORPORATION },
  { to: '/applications', label: 'Applications', icon: ApplicationsIcon, level: SUPERUSER },
  { to: '/system', label: 'System', icon: SystemIcon, level: ADMINISTRATOR },
];
