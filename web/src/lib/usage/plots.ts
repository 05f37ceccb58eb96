// What a plot shows, apart from how it is drawn: series, stacking, labels of axes and the same in words and rows.
import { clockTime, shortDate, weekdayAndDate } from '../text/moments';

/** A colour of the style sheet. */
export type PlotColour = '--plot-1' | '--plot-2' | '--plot-3' | '--plot-4' | '--plot-5' | '--plot-6';
export const PLOT_COLOURS: readonly PlotColour[] = ['--plot-1', '--plot-2', '--plot-3', '--plot-4', '--plot-5', '--plot-6'];

export interface PlotSeries {
  name: string;
  colour: PlotColour;
  /** One for each moment; null where nothing was measured. */
  values: readonly (number | null)[];
}

export interface PlotData {
  /** Milliseconds since 1970, rising. */
  at: readonly number[];
  series: readonly PlotSeries[];
}

const HOUR_MS = 3_600_000;
/** Up to here an axis shows hours, beyond it days. */
const HOURS_SHOWN_MS = 48 * HOUR_MS;
/** Rows of the table beside a plot; a month of hours is more than anybody reads. */
export const TABLE_ROWS_MAX = 120;

/** Each series on top of the ones before it; gaps count as nothing. */
export function stacked(series: readonly PlotSeries[]): number[][] {
  const height: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      const top = (height[index] ?? 0) + (value ?? 0);
      height[index] = top;
      return top;
    }),
  );
}

/** How far apart the moments are; an hour when there are too few to tell. */
export function stepOf(at: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let index = 1; index < at.length; index += 1) {
    const gap = (at[index] ?? 0) - (at[index - 1] ?? 0);
    if (gap > 0 && gap < step) step = gap;
  }
  return Number.isFinite(step) ? step : HOUR_MS;
}

/** The whole time a plot is about, the last step included. */
export function lengthOf(at: readonly number[]): number {
  return at.length === 0 ? 0 : (at.at(-1) ?? 0) - (at[0] ?? 0) + stepOf(at);
}

/** A place on the time axis. */
export function axisTime(ms: number, length: number): string {
  return length <= HOURS_SHOWN_MS ? clockTime(ms) : shortDate(ms);
}

/** A moment in full, as narrow as the steps allow. */
export function momentName(ms: number, step: number): string {
  return step < 20 * HOUR_MS ? `${weekdayAndDate(ms)}, ${clockTime(ms)}` : weekdayAndDate(ms);
}

/** Whether anything at all was measured. */
export function isEmpty(data: PlotData): boolean {
  return data.series.every(({ values }) => values.every((value) => value === null || value === 0));
}

export interface Peak {
  series: string;
  at: number;
  value: number;
}

/** The highest point of all series. */
export function peak(data: PlotData): Peak | undefined {
  let best: Peak | undefined;
  for (const { name, values } of data.series) {
    values.forEach((value, index) => {
      const at = data.at[index];
      if (value !== null && value > 0 && at !== undefined && (best === undefined || value > best.value)) best = { series: name, at, value };
    });
  }
  return best;
}

export interface PlotRow {
  at: number;
  values: (number | null)[];
}

/** The plot as rows, newest first, without the moments where nothing happened. */
export function tableRows(data: PlotData): { rows: PlotRow[]; left: number } {
  const rows: PlotRow[] = [];
  for (let index = data.at.length - 1; index >= 0; index -= 1) {
    const at = data.at[index];
    const values = data.series.map((series) => series.values[index] ?? null);
    if (at !== undefined && values.some((value) => value !== null && value !== 0)) rows.push({ at, values });
  }
  return { rows: rows.slice(0, TABLE_ROWS_MAX), left: Math.max(0, rows.length - TABLE_ROWS_MAX) };
}
