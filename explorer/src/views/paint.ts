// The lanes of a timeline on a canvas. Only visible tasks are drawn: a binary search finds the first one of each lane.
import type {Timeline} from '../document';
import {strokes} from './pattern';
import {tick, ticks} from './scale';
import {firstAfter, type Lane, type Place} from './tasks';

export const axisHeight = 22;

export interface Look {
  paper: string;
  ink: string;
  soft: string;
  rule: string;
  kinds: {fill: string[]; text: string[]; hatch: CanvasPattern | null}[];  // Colors of each kind, by chunk of the stage.
}

export interface Sight {
  from: number;
  to: number;
  width: number;
  rowHeight: number;
}

function channels(color: string): number[] {
  return (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

function mixed(a: number[], b: number[], share: number): number[] {
  return a.map((value, index) => Math.round(value * share + b[index]! * (1 - share)));
}

function luminance(rgb: number[]): number {
  const [r, g, b] = rgb.map(value => (value / 255) ** 2.2);
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function hatch(index: number, ink: string): CanvasPattern | null {
  const path = strokes[index % strokes.length];
  if (!path) return null;
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const context = tile.getContext('2d')!;
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.stroke(new Path2D(path));
  return context.createPattern(tile, 'repeat');
}

/** Returns the colors of a theme; later chunks of a stage are paler. */
export function lookOf(resolve: (color: string) => string, kinds: number, chunks: number): Look {
  const paper = resolve('var(--paper)');
  const line = resolve('var(--hatch)');
  return {
    paper, ink: resolve('var(--ink)'), soft: resolve('var(--soft)'), rule: resolve('var(--rule)'),
    kinds: Array.from({length: kinds}, (_, kind) => {
      const base = channels(resolve(`var(--part-${kind % strokes.length})`));
      const shades = Array.from({length: chunks}, (_, chunk) => mixed(base, channels(paper), 1 - 0.5 * chunk / Math.max(1, chunks - 1)));
      return {
        fill: shades.map(shade => `rgb(${shade.join(' ')})`),
        text: shades.map(shade => luminance(shade) > 0.19 ? '#101418' : '#fff'),
        hatch: hatch(kind, line),
      };
    }),
  };
}

// Returns the alignment of a label at its tick: centered, except at the ends of the axis, where half a label would be cut off.
function alignmentAt(x: number, width: number): CanvasTextAlign {
  const half = 24;
  return x < half ? 'left' : x > width - half ? 'right' : 'center';
}

function drawAxis(context: CanvasRenderingContext2D, look: Look, sight: Sight, height: number): void {
  const scale = sight.width / (sight.to - sight.from);
  context.font = '11.5px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const time of ticks(sight.from, sight.to, sight.width / 110)) {
    const x = Math.round((time - sight.from) * scale) + 0.5;
    context.fillStyle = look.rule;
    context.fillRect(x, axisHeight - 4, 1, height - axisHeight + 4);
    context.fillStyle = look.soft;
    context.textAlign = alignmentAt(x, sight.width);
    context.fillText(tick(time, 's'), x, 9);
  }
}

function drawText(context: CanvasRenderingContext2D, text: string, x: number, y: number, fill: string, ink: string): void {
  context.lineWidth = 3;
  context.strokeStyle = fill;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

const narrow = 2;  // Lanes whose visible tasks have a smaller mean width, in pixels, are drawn by density,
const wide = 6;  // except for their tasks of at least this width.
const column = 4;  // Width of a column of densities; a column covers several narrow tasks.

// Densities of narrow tasks in a lane: the time of each kind in each column of pixels.
class Densities {
  private readonly pixels: Float64Array;

  constructor(private readonly kinds: number, private readonly columns: number) {
    this.pixels = new Float64Array(kinds * columns);
  }

  // Adds a task between two positions in pixels.
  add(kind: number, from: number, to: number): void {
    for (let at = Math.max(0, Math.floor(from / column)); at < this.columns && at * column < to; ++at) {
      this.pixels[at * this.kinds + kind]! += Math.min(to, (at + 1) * column) - Math.max(from, at * column);
    }
  }

  // Draws each column as a stack of the kinds, as high as their shares of the time.
  paint(context: CanvasRenderingContext2D, look: Look, y: number, height: number): void {
    for (let at = 0; at < this.columns; ++at) {
      let bottom = y + height;
      for (let kind = 0; kind < this.kinds; ++kind) {
        const part = this.pixels[at * this.kinds + kind]! / column * height;
        if (part <= 0) continue;
        context.fillStyle = look.kinds[kind]!.fill[0]!;
        context.fillRect(at * column, bottom - part, column, part);
        bottom -= part;
      }
    }
  }
}

// Draws the visible tasks of a stage. Narrow tasks lose hatching and text. Many tasks of a pixel or so become densities,
// because single lines would show a pattern of the screen's pixels, not of the step.
function drawLane(context: CanvasRenderingContext2D, look: Look, sight: Sight, timeline: Timeline, lane: Lane, stage: number): void {
  const scale = sight.width / (sight.to - sight.from);
  const {work, kind, piece, microbatch} = timeline.stages[stage]!;
  const y = axisHeight + stage * sight.rowHeight;
  const height = sight.rowHeight - (sight.rowHeight > 14 ? 3 : 1);
  const densities = new Densities(look.kinds.length, Math.ceil(sight.width / column));
  const first = firstAfter(lane, sight.from);
  const dense = (firstAfter(lane, sight.to) - first) * narrow > sight.width;
  for (let index = first; index < lane.end.length && lane.start[index]! < sight.to; ++index) {
    const x = (lane.start[index]! - sight.from) * scale;
    const width = (lane.end[index]! - sight.from) * scale - x;
    if (dense && width < wide) {
      densities.add(kind[index]!, x, x + width);
      continue;
    }
    const shade = look.kinds[kind[index]!]!;
    const at = Math.max(0, piece[index]!);
    const inner = Math.max(0.4, width - (width > 4 ? 1 : 0));
    context.fillStyle = shade.fill[at]!;
    context.fillRect(x, y, inner, height);
    if (width < 7) continue;
    if (shade.hatch) {
      context.fillStyle = shade.hatch;
      context.fillRect(x, y, inner, height);
    }
    if (height < 11) continue;
    const left = Math.max(0, x);
    const seen = Math.min(sight.width, x + inner) - left;
    const text = seen > work[index]!.length * 7 + 8 || microbatch[index]! < 0 ? work[index]! : String(microbatch[index]);
    if (seen > text.length * 7 + 2) drawText(context, text, left + seen / 2, y + height / 2 + 0.5, shade.fill[at]!, shade.text[at]!);
  }
  densities.paint(context, look, y, height);
}

export interface Scene {
  timeline: Timeline;
  lanes: Lane[];
  look: Look;
  sight: Sight;
  chosen: Place | null;
}

// Paints axis, lanes, the end of the last task as a dashed line, and the frame of the selected task.
export function paint(context: CanvasRenderingContext2D, {timeline, lanes, look, sight, chosen}: Scene, height: number): void {
  const scale = sight.width / (sight.to - sight.from);
  context.clearRect(0, 0, sight.width, height);
  drawAxis(context, look, sight, height);
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.lineJoin = 'round';
  lanes.forEach((lane, stage) => drawLane(context, look, sight, timeline, lane, stage));
  context.strokeStyle = look.ink;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  const end = (timeline.work_end - sight.from) * scale;
  context.beginPath();
  context.moveTo(end, axisHeight - 6);
  context.lineTo(end, height);
  context.stroke();
  context.setLineDash([]);
  if (!chosen) return;
  const lane = lanes[chosen.stage]!;
  const x = (lane.start[chosen.index]! - sight.from) * scale;
  context.lineWidth = 2.5;
  const width = Math.max(3, (lane.end[chosen.index]! - sight.from) * scale - x + 1);
  context.strokeRect(x - 1, axisHeight + chosen.stage * sight.rowHeight - 1, width, sight.rowHeight - 1);
}
