// Draws a plot with uPlot in the colours of the style sheet. All numbers come in; nothing is kept here.
import uPlot from 'uplot';
import { type PlotData, axisTime, stacked, stepOf } from '../lib/usage/plots';

export interface Drawing {
  data: PlotData;
  kind: 'bars' | 'lines';
  format: (value: number) => string;
  width: number;
  height: number;
  /** The whole time shown, in milliseconds. */
  length: number;
  onpoint: (index: number | undefined) => void;
}

const AXIS_FONT_PX = 11;
const CHARACTER_PX = 6.6;
const BAR_SHARE = 0.72;
const BAR_MAX_PX = 34;
const BAR_RADIUS = 0.15;
const FILL_ALPHA = 0.12;
const MARGIN_TOP = 1.08;

/** The colour a custom property stands for where `place` is: canvases do not know `var()` or `light-dark()`. */
function colourOf(place: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function faded(colour: string, alpha: number): string {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(colour);
  return parts ? `rgba(${parts[1]}, ${parts[2]}, ${parts[3]}, ${alpha})` : 'transparent';
}

function seriesOf(place: HTMLElement, { data, kind, format }: Drawing): uPlot.Series[] {
  const bars = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_PX], radius: BAR_RADIUS });
  const drawn = data.series.map(({ name, colour }): uPlot.Series => {
    const stroke = colourOf(place, colour);
    const common = { label: name, stroke, value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)) };
    return kind === 'bars' && bars
      ? { ...common, width: 0, fill: stroke, paths: bars, points: { show: false } }
      : { ...common, width: 2, fill: faded(stroke, FILL_ALPHA), points: { size: 5, fill: stroke } };
  });
  // The highest of a stack is drawn first, the others over it.
  return kind === 'bars' ? drawn.toReversed() : drawn;
}

function columns({ data, kind }: Drawing): uPlot.AlignedData {
  const at = data.at.map((ms) => ms / 1000);
  if (kind === 'lines') return [at, ...data.series.map((series) => [...series.values])];
  return [at, ...stacked(data.series).toReversed()];
}

export function draw(place: HTMLElement, drawing: Drawing): uPlot {
  const { data, format, width, height, length, onpoint } = drawing;
  const text = getComputedStyle(place);
  const axis = { stroke: text.color, font: `${AXIS_FONT_PX}px ${text.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: colourOf(place, '--line'), width: 1 };
  const half = stepOf(data.at) / 2000;
  return new uPlot(
    {
      width,
      height,
      padding: [6, 16, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: true, range: (_, low, high) => [low - half, high + half] }, y: { range: (_, __, high) => [0, high > 0 ? high * MARGIN_TOP : 1] } },
      axes: [
        { ...axis, grid: { show: false }, size: 24, gap: 4, space: 64, values: (_, splits) => splits.map((at) => axisTime(at * 1000, length)) },
        {
          ...axis,
          grid,
          gap: 4,
          space: 34,
          size: (_, labels) => Math.max(24, ...(labels ?? []).map((label) => label.length * CHARACTER_PX + 10)),
          values: (_, splits) => splits.map((value) => (value === 0 ? '0' : format(value))),
        },
      ],
      series: [{}, ...seriesOf(place, drawing)],
      hooks: { setCursor: [(plot) => onpoint(plot.cursor.idx ?? undefined)] },
    },
    columns(drawing),
    place,
  );
}
