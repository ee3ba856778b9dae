import {useRef} from 'preact/hooks';
import type {Space} from '../../document';
import {titled} from '../../quantity';
import {fitted, useWidth} from '../width';
import type {Column, Ranges} from './columns';

const height = 300;
const top = 34;
const bottom = 12;

interface Props {
  space: Space;
  columns: Column[];
  passes: boolean[];
  ranges: Ranges;
  setRange: (name: string, range: readonly [number, number] | null) => void;
  chosen: number | undefined;
}

function y(share: number): number {
  return height - bottom - share * (height - top - bottom);
}

// Returns the path of a candidate over every axis.
function lineOf(columns: Column[], index: number, x: (place: number) => number): string {
  return columns.map((column, place) => `${place ? 'L' : 'M'}${x(place).toFixed(1)},${y(column.share(column.rank[index]!)).toFixed(1)}`).join('');
}

// Returns the ranks between two positions on an axis, or null.
function between(column: Column, a: number, b: number): readonly [number, number] | null {
  const inside = column.distinct.map((_, rank) => rank).filter(rank => {
    const at = y(column.share(rank));
    return at >= Math.min(a, b) - 4 && at <= Math.max(a, b) + 4;
  });
  return inside.length > 0 ? [inside[0]!, inside[inside.length - 1]!] : null;
}

interface AxisProps {
  column: Column;
  x: number;
  columnWidth: number;
  range: readonly [number, number] | undefined;
  setRange: Props['setRange'];
}

// Dragging along an axis keeps the candidates between its ends; a click removes the range.
function Axis({column, x, columnWidth, range, setRange}: AxisProps) {
  const begun = useRef<number | null>(null);
  const place = (event: PointerEvent) => event.clientY - (event.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect().top;
  const down = (event: PointerEvent) => {
    begun.current = place(event);
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    setRange(column.name, null);
  };
  const move = (event: PointerEvent) => {
    if (begun.current !== null && Math.abs(place(event) - begun.current) > 3) setRange(column.name, between(column, begun.current, place(event)));
  };
  const name = titled(column.name);
  const [low, high] = range ? [y(column.share(range[0])), y(column.share(range[1]))] : [0, 0];
  return (
    <g transform={`translate(${x} 0)`}>
      <text class="name" y={14} text-anchor="middle"><title>{name}</title>{fitted(name, columnWidth - 6, 13)}</text>
      <line class="axis" y1={top - 6} y2={height - bottom + 6} />
      {range && <rect class="range" x={-6} width={12} y={high - 5} height={low - high + 10} rx={3} />}
      {column.marks(6).map(({share, text}) => (
        <text class="tick" key={share} x={8} y={y(share) + 4}><title>{text}</title>{fitted(text, columnWidth - 8, 11)}</text>
      ))}
      <rect class="brush" x={-14} width={28} y={top - 12} height={height - top - bottom + 24} onPointerDown={down} onPointerMove={move}
        onPointerUp={() => { begun.current = null; }} onPointerCancel={() => { begun.current = null; }} />
    </g>
  );
}

/** Parallel axes: a line for each candidate over its axes and metrics. */
export function Parallel({space, columns, passes, ranges, setRange, chosen}: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const wide = Math.max(width, columns.length * 88);
  const columnWidth = wide / columns.length;
  const x = (place: number) => columnWidth * (place + 0.5);
  const front = new Set(space.front);
  const inside = passes.flatMap((pass, index) => pass ? [index] : []);
  const lines = (indices: number[], kind: string) => <path class={`line ${kind}`} d={indices.map(index => lineOf(columns, index, x)).join('')} />;
  return (
    <div ref={element} class="sideways" tabIndex={0} role="group" aria-label="Candidates over all axes and metrics">
      {width > 0 && (
        <svg class="chart parallel" width={wide} height={height} viewBox={`0 0 ${wide} ${height}`} role="img"
          aria-label={`${inside.length} of ${passes.length} candidates, a line each`}>
          {lines(passes.flatMap((pass, index) => pass ? [] : [index]), 'out')}
          {lines(inside.filter(index => !front.has(index)), 'in')}
          {lines(inside.filter(index => front.has(index)), 'front')}
          {chosen !== undefined && chosen < passes.length && lines([chosen], 'chosen')}
          {columns.map((column, place) => <Axis key={column.name} {...{column, columnWidth, setRange}} x={x(place)} range={ranges.get(column.name)} />)}
        </svg>
      )}
    </div>
  );
}
