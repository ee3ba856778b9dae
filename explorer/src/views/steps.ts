// Step lines as SVG paths. Points in the same column of pixels are merged into a vertical line, so that long lines stay
// small.

export interface PlotLine {
  name: string;
  values: (number | null)[];
  part: number;  // Index of the color.
}

export interface Frame {
  x: (value: number) => number;
  y: (value: number) => number;
  from: number;  // Visible range of the axis.
  to: number;
}

/** Returns the last index whose x is not greater than `value`, by binary search. */
export function placeBefore(x: number[], value: number): number {
  let low = 0;
  let high = x.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Returns the path of the visible range. Each half pixel column keeps its lowest, highest and last value.
export function stepPath(xs: number[], values: (number | null)[], {x, y, from, to}: Frame): string {
  let path = '';
  let drawing = false;
  let column = NaN;
  let low = 0;
  let high = 0;
  let last = 0;
  const flush = () => {
    if (high - low > 0.5) path += `V${low.toFixed(1)}V${high.toFixed(1)}V${last.toFixed(1)}`;
    else if (drawing) path += `V${last.toFixed(1)}`;
  };
  for (let place = placeBefore(xs, from); place < xs.length; ++place) {
    const value = values[place];
    if (value === null || value === undefined) {
      if (drawing) flush();
      drawing = false;
      continue;
    }
    const at = Math.round(x(Math.max(from, Math.min(to, xs[place]!))) * 2) / 2;
    const height = y(value);
    if (drawing && at === column) {
      low = Math.min(low, height);
      high = Math.max(high, height);
    } else {
      if (drawing) flush();
      path += drawing ? `H${at}` : `M${at},${height.toFixed(1)}`;
      column = at;
      low = high = height;
      drawing = true;
    }
    last = height;
    if (xs[place]! >= to) break;
  }
  if (drawing) flush();
  return path;
}

/** Returns the range of values. It begins at zero, unless every value is far above, where changes would be invisible. */
export function rangeOf(lines: PlotLine[], limit: number | undefined): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const {values} of lines) {
    for (const value of values) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (limit !== undefined && limit < high * 1.6) high = Math.max(high, limit);
  const far = low > high / 2;
  const pad = (high - (far ? low : 0)) * 0.06 || Math.abs(high) * 0.1 || 1;
  return far ? [low - pad, high + pad] : [Math.min(0, low), high + pad];
}
