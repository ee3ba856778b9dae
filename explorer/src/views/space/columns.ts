// Columns of candidates as axes of pictures; each has its distinct values in order.
import type {Row, Space, Value} from '../../document';
import {shown} from '../../quantity';
import {decades, tick, ticks} from '../scale';

/** A labeled position on an axis. */
export interface Mark {
  share: number;
  text: string;
}

export interface Column {
  name: string;
  unit: string;
  values: Value[];
  distinct: Value[];
  rank: number[];  // Index in `distinct` of each candidate.
  share: (rank: number) => number;  // Position on an axis, from 0 to 1.
  marks: (most: number) => Mark[];
}

const few = 12;

function order(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return String(a ?? '').localeCompare(String(b ?? ''), 'en', {numeric: true});
}

type Scale = Pick<Column, 'share' | 'marks'>;

// Returns a scale by size, logarithmic if the values differ by orders of magnitude.
function bySize(numbers: number[], unit: string): Scale {
  const [low, high] = [numbers[0]!, numbers[numbers.length - 1]!];
  const logarithmic = low > 0 && high / low > 50;
  const at = (value: number) => logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const round = (most: number) => logarithmic ? decades({low, high, at}, most) : ticks(low, high, most, unit === 'byte' ? 1024 : 1000);
  // Missing values are at the lower end.
  const share = (rank: number) => rank < numbers.length ? at(numbers[rank]!) : 0;
  return {share, marks: most => round(most).map(value => ({share: at(value), text: tick(value, unit)}))};
}

// Returns a scale with equal distances, for words and for few numbers.
function evenly(distinct: Value[], unit: string): Scale {
  const share = (rank: number) => distinct.length < 2 ? 0.5 : rank / (distinct.length - 1);
  const marks = (most: number) => {
    const step = Math.ceil(distinct.length / most);
    return distinct.flatMap((value, rank) => rank % step === 0 ? [{share: share(rank), text: shown(value, unit)}] : []);
  };
  return {share, marks};
}

// Ranks the values of a column. Axes of the search with few values, and words, are spaced evenly; remaining numeric
// columns are placed by size.
export function columnOf(space: Space, name: string): Column {
  const values = Object.hasOwn(space.candidates, name) ? space.candidates[name]! : [];
  const keys = new Map<string, Value>();
  for (const value of values) keys.set(JSON.stringify(value), value);
  const distinct = [...keys.values()].sort(order);
  const places = new Map(distinct.map((value, rank) => [JSON.stringify(value), rank]));
  const numbers = distinct.filter(value => typeof value === 'number');  // Numbers precede words.
  const numeric = numbers.length > 1 && numbers.length === distinct.filter(value => value !== null).length;
  const even = !numeric || (space.axes.includes(name) && distinct.length <= few) || distinct.length < 2;
  const unit = Object.hasOwn(space.units, name) ? space.units[name]! : '';
  const scale = even ? evenly(distinct, unit) : bySize(numbers, unit);
  return {name, values, distinct, unit, rank: values.map(value => places.get(JSON.stringify(value))!), ...scale};
}

/** First and last rank of the range, for each column with a range. */
export type Ranges = ReadonlyMap<string, readonly [number, number]>;

export function withinRanges(columns: Column[], ranges: Ranges, count: number): boolean[] {
  const limits = columns.flatMap(column => ranges.has(column.name) ? [{rank: column.rank, range: ranges.get(column.name)!}] : []);
  return Array.from({length: count}, (_, index) => limits.every(({rank, range}) => rank[index]! >= range[0] && rank[index]! <= range[1]));
}

export function countOf(space: Space): number {
  return Math.max(0, ...Object.values(space.candidates).map(values => values.length));
}

export function textAt(column: Column, rank: number): string {
  return shown(column.distinct[rank], column.unit);
}

export function candidateName(space: Space, index: number): string {
  return space.axes.map(axis => `${axis}=${shown(space.candidates[axis]?.[index])}`).join(' ');
}

const indices = new WeakMap<Row, number>();

export function indexOf(row: Row): number | undefined {
  return indices.get(row);
}

/** Returns the candidates as rows of a table. */
export function rowsOfSpace(space: Space, columns: Column[], passes: boolean[]): Row[] {
  const front = new Set(space.front);
  const order = [...new Set([...space.best, ...passes.keys()])];  // The best candidates are first.
  return order.flatMap(index => {
    if (!passes[index]) return [];
    const row: Row = {candidate: index + 1, front: front.has(index)};
    for (const {name, values} of columns) if (name !== '__proto__') row[name] = values[index] ?? null;
    indices.set(row, index);
    return [row];
  });
}
