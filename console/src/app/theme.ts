import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The blue of the logo, as on the sign-in pages and in the favicon. */
const gate: MantineColorsTuple = [
  '#edf3fb',
  '#d8e4f3',
  '#adc7e6',
  '#80a9da',
  '#5b8fcf',
  '#447fc9',
  '#3676c7',
  '#2864b0',
  '#1f4f86',
  '#163c68',
];

/** The dark scheme's colours for Mantine's components. */
const dark: MantineColorsTuple = [
  '#e8ecf5',
  '#c9d1e0',
  '#a9b3c6',
  '#8793aa',
  '#3f4b61',
  '#313a4c',
  '#1b212d',
  '#12161f',
  '#0d1118',
  '#090c12',
];

export const theme = createTheme({
  colors: { gate, dark },
  primaryColor: 'gate',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, monospace',
  headings: { fontFamily: 'system-ui, sans-serif', fontWeight: '650' },
  defaultRadius: 'md',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Modal: {
      defaultProps: {
        centered: true,
        // The page's own header is its only banner landmark.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true } } },
  },
});

/** Colours of dimmed text and links with enough contrast in both schemes. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56617a',
    '--mantine-color-anchor': '#1f4f86',
    '--mantine-color-error': '#b02a1b',
    '--mantine-color-body': '#f7f9fc',
    '--mantine-color-placeholder': '#667085',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b3c6',
    '--mantine-color-anchor': '#9cc3f5',
    '--mantine-color-error': '#ff9e91',
    '--mantine-color-body': '#12161f',
    '--mantine-color-placeholder': '#98a2b5',
  },
});
