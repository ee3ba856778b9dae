// Formatting of values for people, identical to base/numbers.cc.
import type {Value} from './document';

type Step = [number, string];

const binaryBytes: Step[] = [[2 ** 50, 'PiB'], [2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB'], [1, 'B']];
const decimalBytes: Step[] = [[1e18, 'EB'], [1e15, 'PB'], [1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']];
const flops: Step[] = [[1e18, 'Eflop'], [1e15, 'Pflop'], [1e12, 'Tflop'], [1e9, 'Gflop'], [1e6, 'Mflop'], [1e3, 'kflop'], [1, 'flop']];
const times: Step[] = [[86400, 'days'], [3600, 'hours'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];

const largestPlain = 1e15;  // Larger numbers are shorter with an exponent.
const smallestPlain = 1e-5;

export function grouped(whole: number): string {
  const digits = Math.abs(whole).toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
  return (whole < 0 ? '-' : '') + digits;
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

export function significant(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  const scientific = value.toExponential(digits - 1).replace(/e([+-])(\d)$/, 'e$10$2');  // Exponents have two digits, as in C++.
  if (size >= largestPlain || size < smallestPlain) return scientific;
  // The exponent is read after rounding: 9.999 becomes 10.0.
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent + 1 >= digits) return grouped(Math.round(value));
  return value.toFixed(digits - 1 - exponent);
}

// Formats a value in the largest unit that gives at least 1 after rounding.
function scaled(value: number, steps: Step[], suffix = ''): string {
  let i = steps.length - 1;
  while (i > 0) {
    const ratio = steps[i - 1]![0] / steps[i]![0];
    if (Math.abs(value) / steps[i]![0] < ratio - (ratio < 100 ? 0.05 : 0.5)) break;
    --i;
  }
  const [factor, name] = steps[i]!;
  let number = value / factor;
  if (i + 1 < steps.length && Math.abs(number) < 1) number = Math.sign(number);  // The value was rounded up to 1.
  const whole = factor === 1 && Number.isInteger(number) && Math.abs(number) < 1e6;
  return `${whole ? grouped(number) : significant(number, 3)} ${name}${suffix}`;
}

function plain(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < largestPlain) return grouped(value);
  return withoutTrailingZeros(significant(value, 5));
}

function dollars(value: number): string {
  const cents = Math.round(Math.abs(value) * 100);
  if (cents >= largestPlain) return significant(value, 5);
  if (cents < 1 && value !== 0) return withoutTrailingZeros(significant(value, 3));
  const whole = Math.floor(cents / 100);
  return `${value < 0 ? '-' : ''}${grouped(whole)}.${String(cents - whole * 100).padStart(2, '0')}`;
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value.toFixed(Math.abs(value) < 9.995 && value !== 0 ? 2 : 1)} %`;
}

export function shownNumber(value: number, unit = ''): string {
  if (value === 0) value = 0;  // Avoids `-0`.
  if (unit === '' || unit === '1' || unit === 'count') return plain(value);
  if (unit === 'share') return percent(value);
  if (unit === 'ratio') return value >= 0 && value <= 1 ? percent(value) : plain(value);
  if (unit === 'byte') return scaled(value, binaryBytes);
  if (unit === 'flop') return scaled(value, flops);
  if (unit === 's') return value === 0 ? '0 s' : scaled(value, times);
  if (unit === 'USD') return `${dollars(value)} USD`;
  if (unit === 'byte/s') return scaled(value, decimalBytes, '/s');
  if (unit === 'flop/s') return scaled(value, flops, '/s');
  if (unit === 'USD/s') return `${dollars(value * 3600)} USD/hour`;
  return `${plain(value)} ${unit}`;
}

/** Formats a value for people: `45.6 GiB`, `1,234,567`, `yes`, or a dash for a missing value. */
export function shown(value: Value | undefined, unit?: string): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return shownNumber(value, unit);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(item => shown(item, unit)).join(', ');
  return value;
}

/** Formats a value with every digit, in base units. */
export function exact(value: Value | undefined, unit?: string): string {
  const named = unit && unit !== '1' && unit !== 'count' && unit !== 'ratio' && unit !== 'share' ? ` ${unit}` : '';
  return typeof value === 'number' ? `${value}${named}` : shown(value);
}

/** Returns a key as a title: `by_all_ranks` becomes `by all ranks`. */
export function titled(key: string): string {
  return key.replaceAll('_', ' ');
}
