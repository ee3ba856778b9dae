// Scales and ticks of axes.
import {shownNumber} from '../quantity';

export interface LogScale {
  low: number;
  high: number;
  at: (value: number) => number;
}

/** Returns a logarithmic scale that maps `low` to `begin` and `high` to `end`. */
export function logScale(low: number, high: number, begin: number, end: number): LogScale {
  const from = Math.log10(low);
  const span = Math.log10(high) - from || 1;
  return {low, high, at: value => begin + (Math.log10(value) - from) / span * (end - begin)};
}

/** Returns powers of ten, at most about `most`. */
export function decades({low, high}: LogScale, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const out = [];
  for (let power = first; power <= last; power += step) out.push(10 ** power);
  return out;
}

/** Returns the ticks of a linear axis. The distance is 1, 2 or 5 times a power of ten, within powers of `base`. */
export function ticks(low: number, high: number, most: number, base = 1000): number[] {
  const raw = (high - low) / Math.max(1, most);
  if (!(raw > 0)) return [low];
  const unit = base ** Math.floor(Math.log(raw) / Math.log(base) + 1e-9);
  const step = unit * ([1, 2, 5, 10, 20, 50, 100, 200, 500].find(candidate => candidate * unit >= raw) ?? base);
  const out = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) out.push(value);
  return out;
}

/** Returns the text of a tick: a formatted value without trailing zeros. */
export function tick(value: number, unit: string): string {
  return shownNumber(value, unit).replace(/(\.\d*?)0+(?= |$)/, '$1').replace(/\.(?= |$)/, '');
}
