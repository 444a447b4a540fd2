/** Clearance levels from which the service allows something: screens offer what it would not refuse. */
export const READS_CORPORATION = 1;
export const CHANGES_CORPORATION = 2;
export const READS_ALLIANCE = 3;
export const CHANGES_ALLIANCE = 4;
export const READS_COALITION = 5;
export const CHANGES_COALITION = 6;
export const REGISTERS = 8;
/** Whatever the distance. */
export const CHANGES_ALL = 8;
export const ADMINISTRATOR = 9;
export const SUPERUSER = 10;

export const ALL_LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
