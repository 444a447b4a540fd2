/** The variables that fake the clock of a run (`npm run test:clocks`), for processes that inherit none of its others. */
export const FAKED_CLOCK: Readonly<Record<string, string>> = Object.fromEntries(
  ['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC', 'NO_FAKE_STAT', 'TZ'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/**
 * Whether the clock of a run is faked. PostgreSQL's timeouts then end no statement that waits, as a signal handler that
 * interrupts a wait sees the real time.
 */
export const isClockFaked = 'FAKETIME' in FAKED_CLOCK;
