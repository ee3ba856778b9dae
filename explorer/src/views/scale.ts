// Axes and their ticks.
import {shownNumber} from '../quantity';

export interface LogScale {
  low: number;
  high: number;
  at: (value: number) => number;
}

/** From `low` to `high`, drawn from `begin` to `end`. */
export function logScale(low: number, high: number, begin: number, end: number): LogScale {
  const from = Math.log10(low);
  const span = Math.log10(high) - from || 1;
  return {low, high, at: value => begin + (Math.log10(value) - from) / span * (end - begin)};
}

/** Powers of ten, and not too many of them. */
export function decades({low, high}: LogScale, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const out = [];
  for (let power = first; power <= last; power += step) out.push(10 ** power);
  return out;
}

/** Round steps of a linear axis. */
export function ticks(low: number, high: number, most: number, base = 1000): number[] {
  const raw = (high - low) / Math.max(1, most);
  if (!(raw > 0)) return [low];
  const unit = base ** Math.floor(Math.log(raw) / Math.log(base) + 1e-9);
  const step = unit * ([1, 2, 5, 10, 20, 50, 100, 200, 500].find(candidate => candidate * unit >= raw) ?? base);
  const out = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) out.push(value);
  return out;
}

/** A tick's text: as values are shown, without zeros at its end. */
export function tick(value: number, unit: string): string {
  return shownNumber(value, unit).replace(/(\.\d*?)0+(?= |$)/, '$1').replace(/\.(?= |$)/, '');
}
