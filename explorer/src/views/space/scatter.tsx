import {useRef, useState} from 'preact/hooks';
import type {Space} from '../../document';
import {href} from '../../address';
import {shown, titled} from '../../quantity';
import {fitted, useWidth} from '../width';
import {candidateName, type Column} from './columns';

const height = 360;
const margin = {left: 78, right: 14, top: 12, bottom: 42};

interface Props {
  space: Space;
  x: Column;
  y: Column;
  passes: boolean[];
  chosen: number | undefined;
}

function Axes({x, y, width, px, py}: {x: Column; y: Column; width: number; px: (share: number) => number; py: (share: number) => number}) {
  const bottom = height - margin.bottom;
  return (
    <g aria-hidden="true">
      {y.marks(7).map(({share, text}) => (
        <g key={`y${share}`}>
          <line class="grid" x1={margin.left} x2={width - margin.right} y1={py(share)} y2={py(share)} />
          <text class="tick" x={margin.left - 8} y={py(share) + 4} text-anchor="end"><title>{text}</title>{fitted(text, margin.left - 24)}</text>
        </g>
      ))}
      {x.marks(Math.max(2, width / 110)).map(({share, text}) => (
        <g key={`x${share}`}>
          <line class="grid" x1={px(share)} x2={px(share)} y1={margin.top} y2={bottom} />
          <text class="tick" x={Math.min(px(share), width - 30)} y={bottom + 16} text-anchor="middle"><title>{text}</title>{fitted(text, 100)}</text>
        </g>
      ))}
      <text class="tick" x={width - margin.right} y={height - 6} text-anchor="end">{titled(x.name)} →</text>
      <text class="tick" x={12} y={margin.top} text-anchor="end" transform={`rotate(-90 12 ${margin.top})`}>{titled(y.name)} →</text>
    </g>
  );
}

/** Candidates by two metrics; those of the front stand out by shape. */
export function Scatter({space, x, y, passes, chosen}: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const group = useRef<SVGGElement>(null);
  const [current, setCurrent] = useState(0);
  const front = new Set(space.front);
  const px = (share: number) => margin.left + 8 + share * (width - margin.left - margin.right - 16);
  const py = (share: number) => height - margin.bottom - 8 - share * (height - margin.top - margin.bottom - 16);
  const order = passes.flatMap((pass, index) => pass ? [index] : []).sort((a, b) => Number(front.has(a)) - Number(front.has(b)) || x.rank[a]! - x.rank[b]!);
  const focus = Math.min(current, order.length - 1);
  const move = (event: KeyboardEvent) => {
    const by = ['ArrowRight', 'ArrowDown'].includes(event.key) ? 1 : ['ArrowLeft', 'ArrowUp'].includes(event.key) ? -1 : 0;
    const next = Math.max(0, Math.min(order.length - 1, focus + by));
    if (!by) return;
    event.preventDefault();
    setCurrent(next);
    (group.current?.children[next] as SVGElement | undefined)?.focus();
  };
  return (
    <div ref={element}>
      {width > 0 && (
        <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`${titled(y.name)} over ${titled(x.name)}, a point for each candidate`}>
          <Axes {...{x, y, width, px, py}} />
          <g ref={group} onKeyDown={move}>
            {order.map((index, at) => {
              const [cx, cy] = [px(x.share(x.rank[index]!)), py(y.share(y.rank[index]!))];
              const isFront = front.has(index);
              const told = `${candidateName(space, index)}: ${titled(x.name)} ${shown(x.values[index], x.unit)}, ${titled(y.name)} ${shown(y.values[index], y.unit)}${isFront ? ', front' : ''}`;
              return (
                <a key={index} href={href({view: 'space', item: String(index)})} aria-label={told} tabIndex={at === focus ? 0 : -1} onFocus={() => setCurrent(at)}>
                  <title>{told}</title>
                  {index === chosen && <circle class="chosen" cx={cx} cy={cy} r={10} />}
                  {isFront ? <path class="mark front" d={`M${cx},${cy - 6.5} l6,6.5 l-6,6.5 l-6,-6.5 z`} /> : <circle class="mark other" cx={cx} cy={cy} r={3.6} />}
                </a>
              );
            })}
          </g>
        </svg>
      )}
    </div>
  );
}
