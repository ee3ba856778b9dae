import {useId} from 'preact/hooks';
import {titled} from '../../quantity';
import {textAt, type Column, type Ranges} from './columns';

interface Props {
  columns: Column[];
  ranges: Ranges;
  setRange: (name: string, range: readonly [number, number] | null) => void;
}

interface RangeProps {
  column: Column;
  range: readonly [number, number] | undefined;
  set: (range: readonly [number, number] | null) => void;
}

function RangeOf({column, range, set}: RangeProps) {
  const id = useId();
  const last = column.distinct.length - 1;
  const [low, high] = range ?? [0, last];
  const change = (a: number, b: number) => set(a === 0 && b === last ? null : [Math.min(a, b), Math.max(a, b)]);
  const input = (label: string, rank: number, on: (rank: number) => void) => (
    <input type="range" min={0} max={last} value={rank} aria-label={`${label} ${titled(column.name)}`} aria-valuetext={textAt(column, rank)}
      onInput={event => on(Number(event.currentTarget.value))} />
  );
  return (
    <div class="range-of" role="group" aria-labelledby={id}>
      <span id={id}><bdi>{titled(column.name)}</bdi></span>
      {input('Least', low, rank => change(Math.min(rank, high), high))}
      {input('Most', high, rank => change(low, Math.max(rank, low)))}
      <span class="count"><bdi>{textAt(column, low)}</bdi> to <bdi>{textAt(column, high)}</bdi></span>
    </div>
  );
}

/** The ranges of every axis, for keyboards and for exact limits. */
export function RangeInputs({columns, ranges, setRange}: Props) {
  return (
    <details class="ranges">
      <summary>Ranges{ranges.size > 0 ? `: ${ranges.size} set` : ''}</summary>
      {columns.filter(column => column.distinct.length > 1).map(column => (
        <RangeOf key={column.name} column={column} range={ranges.get(column.name)} set={range => setRange(column.name, range)} />
      ))}
    </details>
  );
}
