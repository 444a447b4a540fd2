/** The performance score of Lighthouse 12. */

/** Times in milliseconds; the layout shift is a share of the page. */
export interface Measures {
  readonly firstPaint: number;
  /** The time of the last change, as an upper bound of the speed index. */
  readonly complete: number;
  readonly largestPaint: number;
  readonly blocked: number;
  readonly shift: number;
}

/** A log-normal distribution: the values that score 0.9 and 0.5. */
interface Curve {
  readonly p10: number;
  readonly median: number;
}

type Curves = Readonly<Record<keyof Measures, Curve>>;

export const PHONE_CURVES: Curves = {
  firstPaint: { p10: 1_800, median: 3_000 },
  complete: { p10: 3_387, median: 5_800 },
  largestPaint: { p10: 2_500, median: 4_000 },
  blocked: { p10: 200, median: 600 },
  shift: { p10: 0.1, median: 0.25 },
};

export const DESK_CURVES: Curves = {
  firstPaint: { p10: 934, median: 1_600 },
  complete: { p10: 1_311, median: 2_300 },
  largestPaint: { p10: 1_200, median: 2_400 },
  blocked: { p10: 150, median: 350 },
  shift: { p10: 0.1, median: 0.25 },
};

const WEIGHTS: Readonly<Record<keyof Measures, number>> = {
  firstPaint: 0.1,
  complete: 0.1,
  largestPaint: 0.25,
  blocked: 0.3,
  shift: 0.25,
};

/** The score of the page as a whole, from 0 to 100. */
export function performanceScore(measures: Measures, curves: Curves): number {
  const names = Object.keys(WEIGHTS) as (keyof Measures)[];
  const score = names.reduce((sum, name) => sum + WEIGHTS[name] * share(measures[name], curves[name]), 0);
  return Math.round(score * 100);
}

/** The share of the distribution above the value. */
function share(value: number, { p10, median }: Curve): number {
  if (value <= 0) return 1;
  const INVERSE_OF_ERFC_AT_A_FIFTH = 0.906193802436823;
  const x = (Math.log(value / median) * INVERSE_OF_ERFC_AT_A_FIFTH) / -Math.log(p10 / median);
  return Math.min(1, (1 - erf(x)) / 2);
}

/** After Abramowitz and Stegun, 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce(
    (inner, factor) => (inner + factor) * t,
    0,
  );
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}
