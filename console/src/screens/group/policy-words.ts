import type { Application, GroupPolicy } from '@castellan/sdk';

export const JOINING = {
  closed: 'The owner adds members',
  application: 'By application: somebody decides',
  open: 'Open: whoever is eligible may join',
} as const satisfies Record<GroupPolicy['joining'], string>;

export const VISIBLE_TO = {
  everyone: 'Everyone',
  eligible: 'Those who may join, and members',
  members: 'Members alone',
} as const satisfies Record<GroupPolicy['visible_to'], string>;

export const REACH = {
  character: 'Each character for itself',
  person: 'A person by any of its characters',
} as const satisfies Record<GroupPolicy['reach'], string>;

export const STATES = {
  pending: 'Waiting',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  expired: 'Had its time',
  void: 'Lost its sense',
} as const satisfies Record<Application['state'], string>;
