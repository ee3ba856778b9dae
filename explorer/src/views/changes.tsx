import type {Run, Value} from '../document';
import {href} from '../address';
import {percent, titled} from '../quantity';
import {Quantity} from '../quantity_view';
import {CopyButton} from './copy_button';
import {csv, metricKey, metricLabel, metricUnit} from './rows';

interface Pair {
  id: string;
  key: string;
  label: string;
  unit: string;
  first: Value | undefined;
  second: Value | undefined;
  change: number | null;  // Change relative to the first run.
}

interface Group {
  title: string;
  pairs: Pair[];
}

function pairOf(first: Run, second: Run, id: string, label: string | undefined): Pair | null {
  const key = metricKey(first, id);
  if (key === undefined || !Object.hasOwn(second.report, key)) return null;
  const [a, b] = [first.report[key] as Value, second.report[key] as Value];
  const change = typeof a === 'number' && typeof b === 'number' && a !== 0 ? (b - a) / Math.abs(a) : null;
  return {id, key, label: label ? titled(label) : metricLabel(first, key), unit: metricUnit(first, key), first: a, second: b, change};
}

// Groups the metrics of both runs by section. A metric that appears in several reports is listed once.
function groupsOf(first: Run, second: Run, every: boolean): Group[] {
  const seen = new Set<string>();
  const groups: Group[] = [];
  for (const section of Object.values(first.sections).flat()) {
    const pairs = section.metrics.map((id, place) => pairOf(first, second, id, section.labels?.[place]))
      .filter((pair): pair is Pair => pair !== null && !seen.has(pair.key) && (every || pair.first !== pair.second));
    for (const {key} of pairs) seen.add(key);
    // Sections with the same title in several reports are merged.
    const same = groups.find(({title}) => title === section.title);
    if (same) same.pairs.push(...pairs);
    else if (pairs.length > 0) groups.push({title: section.title, pairs});
  }
  return groups;
}

function signed(change: number): string {
  if (Math.abs(change) < 5e-5) return '≈ 0 %';
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${percent(Math.abs(change))}`;
}

// A bar from the middle: to the right for an increase up to 100 %, to the left for a decrease. Larger changes have an
// arrow.
function Diverging({change}: {change: number}) {
  const size = Math.min(1, Math.abs(change)) * 50;
  return (
    <div class={`diverging ${change > 0 ? 'more' : 'less'}`} aria-hidden="true">
      <div style={{width: `${size}%`, insetInlineStart: change > 0 ? '50%' : `${50 - size}%`}} />
      {Math.abs(change) > 1 && <span>{change > 0 ? '▸' : '◂'}</span>}
    </div>
  );
}

function PairRow({id, key, label, unit, first, second, change}: Pair) {
  return (
    <tr>
      <th scope="row"><a href={href({view: 'numbers', item: id})}><bdi>{label}</bdi></a></th>
      <td class="number"><Quantity value={first} unit={unit} at={`runs.0.report.${key}`} /></td>
      <td class="number"><Quantity value={second} unit={unit} at={`runs.1.report.${key}`} /></td>
      <td class="number">{change === null ? '' : signed(change)}</td>
      <td class="bars">{change !== null && <Diverging change={change} />}</td>
    </tr>
  );
}

/** Metrics of two runs, with the change of the second run. */
export function Changes({first, second, every}: {first: Run; second: Run; every: boolean}) {
  const groups = groupsOf(first, second, every);
  const rows = () => groups.flatMap(({pairs}) => pairs.map(({key, unit, first: a, second: b}) => (
    {metric: key, unit, first: a ?? null, second: b ?? null})));
  if (groups.length === 0) return <p class="doc">All metrics are the same.</p>;
  return (
    <>
      <div class="scroll free" tabIndex={0} role="group" aria-label="Metrics of both, table">
        <table class="data changes" aria-label="Metrics of both">
          <thead>
            <tr>
              <th scope="col">metric</th>
              {['first', 'second', 'change'].map(name => <th key={name} scope="col" class="number">{name}</th>)}
              <td />
            </tr>
          </thead>
          {groups.map(({title, pairs}) => (
            <tbody key={title}>
              <tr class="group"><th colSpan={5} scope="rowgroup"><bdi>{title}</bdi></th></tr>
              {pairs.map(pair => PairRow(pair))}
            </tbody>
          ))}
        </table>
      </div>
      <div class="tools start">
        <CopyButton text={() => csv(rows(), ['metric', 'unit', 'first', 'second'], () => '')} label="Copy as CSV" of="metrics of both" />
      </div>
    </>
  );
}
