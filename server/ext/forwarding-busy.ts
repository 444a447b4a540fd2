/** What is answered when a request waits too long to be forwarded (D30). */
export const FORWARDING_BUSY = {
  code: 'forwarding_busy',
  detail: 'Too many requests are being forwarded at the moment.',
} as const;
