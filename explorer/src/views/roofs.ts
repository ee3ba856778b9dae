// Data of a roofline: points by phase, and the roofs above them.
import type {Drawing, Run} from '../document';
import {titled} from '../quantity';
import {cell, numberOf, rowsOf, textOf, unitOf} from './rows';

export interface Point {
  name: string;
  phase: string;
  part: number;
  x: number;
  y: number;
  size: number;
  share: number;  // Share of the total size.
  row: number;
}

export interface Roof {
  names: string[];
  value: number;
  unit: string;
  at: string;
  used: boolean;  // True if a point is below the roof.
}

/** A drawn mark: the largest of several points that lie close together, with the size and share of all of them. */
export interface Mark extends Point {
  points: number;
}

const mostMarks = 1500;

/**
 * Returns the marks of points in order of size, at most `mostMarks`; few points keep a mark each. Points of a phase in a
 * square of the picture become one mark. The side of the squares, in pixels, doubles until the marks are few.
 */
export function marksOf(points: Point[], x: (value: number) => number, y: (value: number) => number): Mark[] {
  let marks: Mark[] = points.map(point => ({...point, points: 1}));
  for (let side = 1; marks.length > mostMarks; side *= 2) {
    const squares = new Map<string, Mark>();
    for (const mark of marks) {
      const square = `${mark.part} ${Math.floor(x(mark.x) / side)} ${Math.floor(y(mark.y) / side)}`;
      const first = squares.get(square);
      if (first) {
        first.points += mark.points;
        first.size += mark.size;
        first.share += mark.share;
      } else squares.set(square, mark);
    }
    marks = [...squares.values()];
  }
  return marks.sort((a, b) => b.size - a.size);
}

// Returns a point for each row and phase with positive intensity and rate. Shares relate to the total size, including
// rows without a point.
export function pointsOf(run: Run, drawing: Drawing): Point[] {
  const rows = rowsOf(run, drawing.table ?? '');
  const points: Point[] = [];
  let all = 0;
  Object.entries(drawing.series ?? {}).forEach(([phase, [intensity, rate, weight]], part) => {
    rows.forEach((row, index) => {
      const size = numberOf(row, weight);
      all += size;
      const x = numberOf(row, intensity);
      const y = numberOf(row, rate);
      if (x > 0 && y > 0) points.push({name: textOf(row, drawing.by ?? ''), phase, part, x, y, size, share: 0, row: index});
    });
  });
  for (const point of points) point.share = all > 0 ? point.size / all : 0;
  return points.sort((a, b) => b.size - a.size);  // Small points are drawn above large ones.
}

/** Returns the rates or bandwidths as roofs; equal ones form a roof with several names. */
export function roofsOf(run: Run, runIndex: number, drawing: Drawing, which: 'ceilings' | 'slopes'): Roof[] {
  const source = drawing[which];
  if (!source) return [];
  const points = rowsOf(run, drawing.table ?? '');
  const namesRoof = points.some(row => Object.hasOwn(row, source.by));  // Points may name their roof.
  const used = new Set(points.map(row => textOf(row, source.by)));
  const roofs: Roof[] = [];
  rowsOf(run, source.table).forEach((row, index) => {
    for (const column of source.columns) {
      const value = cell(row, column);
      if (typeof value !== 'number' || value <= 0) continue;
      const of = textOf(row, source.by);
      const name = source.columns.length > 1 ? `${of} ${titled(column)}` : of;
      const isUsed = !namesRoof || used.has(of);
      const same = roofs.find(roof => roof.value === value && roof.used === isUsed);
      if (same) same.names.push(name);
      else roofs.push({names: [name], value, unit: unitOf(run, source.table, column),
        at: `runs.${runIndex}.report.tables.${source.table}.${index}.${column}`, used: isUsed});
    }
  });
  return roofs.sort((a, b) => b.value - a.value);
}

export interface Bounds {
  x: [number, number];
  y: [number, number];
}

// Returns the smallest and the largest value; a call of `Math.min` takes no hundred thousand arguments.
function extremes(values: number[]): number[] {
  return values.length === 0 ? [] : [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

/** Returns bounds that contain every point and the ridge, at which the largest rate meets the lowest bandwidth. */
export function boundsOf(points: Point[], ceilings: Roof[], slopes: Roof[]): Bounds {
  const xs = extremes(points.map(point => point.x));
  const ys = [...extremes(points.map(point => point.y)), ...ceilings.map(roof => roof.value)];
  const ridges = ceilings.flatMap(ceiling => slopes.map(slope => ceiling.value / slope.value));
  const down = (value: number) => value / 2;
  const up = (value: number) => value * 2;
  return {
    x: [down(Math.min(...xs, ...ridges)), up(Math.max(...xs, ...ridges.map(ridge => ridge * 2)))],
    y: [down(Math.min(...ys)), up(Math.max(...ys))],
  };
}
