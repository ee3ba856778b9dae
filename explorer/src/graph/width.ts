import {repeats} from './repeats';
import type {Box} from './tree';

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const widths = new Map<string, number>();
let context: CanvasRenderingContext2D | null = null;

/** Measures a text with a canvas and caches the width, because layouts measure the same names repeatedly. */
export function measured(text: string, font: string): number {
  const key = `${font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    context ??= document.createElement('canvas').getContext('2d');
    if (!context) return text.length * 8;
    context.font = `${font} ${FAMILY}`;
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** Returns the width of a box for its content, within limits; `heat` is the widest text of a share or change. */
export function widthOf(box: Box, open: boolean, heat: string): number {
  const name = measured(box.label, '600 12.5px') + measured(repeats(box), '12.5px') + (box.node ? 0 : 18);
  const share = measured(heat, '11.5px') + 30;
  const kind = measured(box.node?.op ?? box.segment?.block ?? '', '11.5px');
  if (open) return Math.ceil(Math.min(640, name + share + kind + 20));
  return Math.ceil(Math.min(300, Math.max(144, name + share, (box.node ? kind : 0) + 54)));
}
