/** Version of the API, and of the packages that are made from this repository; raised by `npm run release`. */
export const API_VERSION = '0.1.0';
