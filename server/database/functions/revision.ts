/** Written by `npm run generate`, which raises the number whenever a function is another than before. */
export const revision = {
  number: 9,
  of: 'b511bd96a20e654c433bbc98f7f56dbd916e0b18abf55201d39108a9c3c9bfcb',
};
