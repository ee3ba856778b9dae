// The numbers on a page, against the document: each says where it stands there.
import {agrees, valueAt} from './documents_read.mjs';

const factors = {
  PiB: 2 ** 50, TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 1024,
  EB: 1e18, PB: 1e15, TB: 1e12, GB: 1e9, MB: 1e6, kB: 1e3,
  Eflop: 1e18, Pflop: 1e15, Tflop: 1e12, Gflop: 1e9, Mflop: 1e6, kflop: 1e3,
  days: 86400, hours: 3600, min: 60, ms: 1e-3, us: 1e-6, ns: 1e-9, '%': 0.01,
};

/** Whether a text as people read it is a number, to the digits that are written. */
export function readsAs(text, value) {
  const parts = /^([-−±+]?)([\d,]+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(.*)$/su.exec(text.trim());
  if (!parts) return true;  // words: `yes`, `–`
  const [, sign, digits, unit] = parts;
  const plain = digits.replaceAll(',', '');
  const factor = (factors[unit.split('/')[0]] ?? 1) / (unit.endsWith('/hour') ? 3600 : 1);
  const number = (sign === '-' || sign === '−' ? -1 : 1) * Number(plain) * factor;
  const [mantissa, exponent] = plain.split('e');
  const last = 10 ** (Number(exponent ?? 0) - (mantissa.split('.')[1]?.length ?? 0)) * factor;
  // 1 KiB is written for 1,023.9 B: rounded in the unit below.
  return Math.abs(number - value) <= 0.51 * last + 1e-9 * Math.abs(value) || Math.abs(number - value) < 0.006 * Math.abs(value);
}

/** What is wrong with the numbers that are shown now; paths that were seen are added to `seen`. */
export async function wrongNumbers(page, document, seen) {
  const shown = await page.$$eval('[data-at], [data-value]', all => all.map(element =>
    [element.dataset.at ?? '', element.dataset.value ?? '', element.textContent, element.getAttribute('title') ?? '']));
  const problems = [];
  for (const [at, written, text, title] of shown) {
    const expected = valueAt(document, at);
    if (!agrees(expected, written)) problems.push(`${at} is ${JSON.stringify(written)}, not ${JSON.stringify(expected)}`);
    else if (typeof expected === 'number' && text.trim() === '') problems.push(`${at} has no text`);
    else if (typeof expected === 'number' && !readsAs(text, expected)) problems.push(`${at} = ${expected} reads ${text}`);
    else if (title !== '' && typeof expected === 'number' && Number(title.split(' ')[0]) !== expected) problems.push(`${at} = ${expected} has the tooltip ${title}`);
    seen.add(at);
  }
  return problems;
}
