// Written by `npm run generate` from the contract; changes here are lost.

/** Version of the contract that this client was generated from. */
export const VERSION = '0.1.0';
