// Line plots with a common axis and a cursor. Dragging zooms into a range of the axis; a double click resets it.
import {useMemo, useRef, useState} from 'preact/hooks';
import {color} from './pattern';
import {tick, ticks} from './scale';
import {placeBefore, rangeOf, stepPath, type Frame, type PlotLine} from './steps';
import {useWidth} from './width';

interface Props {
  x: number[];
  lines: PlotLine[];
  unit: string;
  xUnit?: string;
  limit?: {value: number; label: string} | undefined;
  index: number;
  onIndex: (index: number) => void;
  height: number;
  label: string;
}

const margin = {left: 68, right: 12, top: 12, bottom: 26};
const dashes = ['', '6 3', '2 2', '8 3 2 3', '12 3', '4 1', '1 3', '10 2 2 2'];

// Dashes are omitted among many lines, where they would be noise.
function dash(part: number, lines: number): string | undefined {
  return lines > dashes.length ? undefined : dashes[part % dashes.length] || undefined;
}

interface GridProps {
  frame: Frame;
  width: number;
  height: number;
  unit: string;
  xUnit: string | undefined;
  range: [number, number];
}

function Grid({frame, width, height, unit, xUnit, range}: GridProps) {
  const {x, y, from, to} = frame;
  const bottom = height - margin.bottom;
  const across = xUnit ? ticks(from, to, width / 90).map(at => ({at, text: tick(at, xUnit)}))
    : ticks(from + 1, to + 1, width / 60).filter(Number.isInteger).map(at => ({at: at - 1, text: String(at)}));
  return (
    <g aria-hidden="true">
      {ticks(...range, height / 45, unit === 'byte' ? 1024 : 1000).map(value => (
        <g key={`y${value}`}>
          <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(value)} y2={y(value)} />
          <text class="tick" x={margin.left - 7} y={y(value) + 4} text-anchor="end">{tick(value, unit)}</text>
        </g>
      ))}
      {across.map(({at, text}) => (
        <g key={`x${at}`}>
          <line class="grid" x1={x(at)} x2={x(at)} y1={margin.top} y2={bottom} />
          <text class="tick" x={x(at)} y={bottom + 18} text-anchor="middle">{text}</text>
        </g>
      ))}
    </g>
  );
}

function Limit({limit, frame, width}: {limit: {value: number; label: string}; frame: Frame; width: number}) {
  const y = frame.y(limit.value);
  return y < margin.top ? null : (
    <g>
      <line class="limit" x1={margin.left} x2={width - margin.right} y1={y} y2={y} />
      <text class="limit halo" x={width - margin.right - 4} y={y < 24 ? y + 14 : y - 5} text-anchor="end">{limit.label}</text>
    </g>
  );
}

type Window = [number, number] | null;

// Handles the pointer: moving sets the cursor, dragging selects a range of the axis.
function usePointer(x: number[], invert: (at: number) => number, onIndex: (index: number) => void, setWindow: (window: Window) => void) {
  const begun = useRef<number | null>(null);
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const at = (event: PointerEvent) => event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
  const end = () => {
    begun.current = null;
    setDrag(null);
  };
  return {
    drag,
    onPointerDown: (event: PointerEvent) => {
      begun.current = at(event);
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      onIndex(placeBefore(x, invert(at(event))));
      if (begun.current !== null) setDrag([Math.min(begun.current, at(event)), Math.max(begun.current, at(event))]);
    },
    onPointerUp: () => {
      if (drag && drag[1] - drag[0] > 5) setWindow([invert(drag[0]), invert(drag[1])]);
      end();
    },
    onPointerCancel: end,
    onDblClick: () => setWindow(null),
  };
}

export function Plot({x: xs, lines, unit, xUnit, limit, index, onIndex, height, label}: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const [window, setWindow] = useState<Window>(null);
  const [from, to] = window ?? [xs[0] ?? 0, xs[xs.length - 1] ?? 1];
  const range = useMemo(() => rangeOf(lines, limit?.value), [lines, limit?.value]);
  const inner = Math.max(1, width - margin.left - margin.right);
  const invert = (at: number) => Math.max(from, Math.min(to, from + (at - margin.left) / inner * (to - from)));
  const frame: Frame = {
    from, to,
    x: value => margin.left + (value - from) / (to - from || 1) * inner,
    y: value => height - margin.bottom - (value - range[0]) / (range[1] - range[0]) * (height - margin.top - margin.bottom),
  };
  const paths = useMemo(() => lines.map(line => stepPath(xs, line.values, frame)), [xs, lines, from, to, width, height, range]);
  const {drag, ...pointer} = usePointer(xs, invert, onIndex, setWindow);
  const cursor = xs[index];
  return (
    <div class="plot" ref={element}>
      {width > 0 && (
        <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} {...pointer}>
          <rect class="brush" width={width} height={height} />
          <Grid {...{frame, width, height, unit, xUnit, range}} />
          {paths.map((path, place) => <path class="steps" key={place} d={path} stroke-dasharray={dash(lines[place]!.part, lines.length)}
            style={{stroke: color(lines[place]!.part)}} />)}
          {limit && <Limit {...{limit, frame, width}} />}
          {cursor !== undefined && cursor >= from && cursor <= to && (
            <g class="cursor">
              <line x1={frame.x(cursor)} x2={frame.x(cursor)} y1={margin.top} y2={height - margin.bottom} />
              {lines.map(({values, part}, place) => typeof values[index] === 'number' && <circle key={place} cx={frame.x(cursor)}
                cy={frame.y(values[index]!)} r={3.5} style={{fill: color(part)}} />)}
            </g>
          )}
          {drag && <rect class="range" x={drag[0]} width={drag[1] - drag[0]} y={margin.top} height={height - margin.top - margin.bottom} />}
        </svg>
      )}
      {window && <button type="button" class="quiet whole" onClick={() => setWindow(null)}>Whole axis<span class="unseen">: {label}</span></button>}
    </div>
  );
}

export function LineSwatch({part, lines}: {part: number; lines: number}) {
  return <line x1="0" x2="14" y1="7" y2="7" stroke-width="2.5" stroke-dasharray={dash(part, lines)} style={{stroke: color(part)}} />;
}
