// A metric and the metrics that add up to it.
import type {Drawing, Run} from '../document';
import {href} from '../address';
import {titled} from '../quantity';
import {metricKey, metricLabel, metricUnit} from './rows';

export interface Part {
  label: string;
  group: string;
  value: number;
  before: number;  // Sum of the earlier parts.
  doc: string | undefined;
  at: string | undefined;  // Path in the document; undefined for the rest, which the page computes.
  link: string | undefined;
}

export interface Sum {
  total: number;
  unit: string;
  at: string;
  link: string | undefined;
  parts: Part[];  // Parts of the total in order; the last one may be the rest that no part explains.
}

const rounding = 1e-9;  // Differences below this share of the total come from rounding.

/** Returns true for a part that is more than a rounding error. */
export function isDrawn(value: number, {total}: {total: number}): boolean {
  return Math.abs(value) > rounding * Math.abs(total);
}

// Returns the link to a metric: among the numbers, or to its explanation alone if no report on the page has the metric.
function metricLink(run: Run, key: string): string | undefined {
  const listed = Object.values(run.sections).flat().some(({metrics}) => metrics.includes(key));
  if (listed) return href({view: 'numbers', item: key});
  const places = run.explanations.metrics;
  return Object.hasOwn(places, key) ? href({view: 'numbers', options: {name: String(places[key])}}) : undefined;
}

function docOf({explanations: {metrics, opened, definitions}}: Run, key: string): string | undefined {
  const definition = Object.hasOwn(metrics, key) ? opened[metrics[key]!]?.definition : undefined;
  return definition === undefined ? undefined : definitions[definition]?.doc;
}

/** Returns the total of a drawing and its parts; null if the total is no number. */
export function sumOf(run: Run, runIndex: number, drawing: Drawing): Sum | null {
  const key = metricKey(run, drawing.total ?? '');
  const total = key === undefined ? undefined : run.report[key];
  if (key === undefined || typeof total !== 'number') return null;
  const parts: Part[] = [];
  let before = 0;
  const add = (part: Omit<Part, 'before'>) => {
    parts.push({...part, before});
    before += part.value;
  };
  for (const {group, metrics} of drawing.parts ?? []) {
    for (const id of metrics) {
      const of = metricKey(run, id);
      const value = of === undefined ? undefined : run.report[of];
      if (of === undefined || typeof value !== 'number') continue;
      const label = metrics.length > 1 ? metricLabel(run, of) : titled(group);
      add({label, group, value, doc: docOf(run, of), at: `runs.${runIndex}.report.${of}`, link: metricLink(run, of)});
    }
  }
  const rest = total - before;
  if (isDrawn(rest, {total})) add({label: 'other', group: 'other', value: rest, doc: undefined, at: undefined, link: undefined});
  return {total, parts, unit: metricUnit(run, key), at: `runs.${runIndex}.report.${key}`, link: metricLink(run, key)};
}
