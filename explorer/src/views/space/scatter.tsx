import {useRef, useState} from 'preact/hooks';
import type {Space} from '../../document';
import {href} from '../../address';
import {shown, titled} from '../../quantity';
import {fitted, textWidth, useWidth} from '../width';
import {candidateName, type Column} from './columns';

const height = 360;
const margin = {right: 14, top: 12, bottom: 42};
const marksAcross = 110;
const marksUp = 7;

interface Props {
  space: Space;
  x: Column;
  y: Column;
  passes: boolean[];
  chosen: number | undefined;
}

interface AxesProps {
  x: Column;
  y: Column;
  left: number;
  width: number;
  px: (share: number) => number;
  py: (share: number) => number;
}

function Axes({x, y, left, width, px, py}: AxesProps) {
  const bottom = height - margin.bottom;
  return (
    <g aria-hidden="true">
      {y.marks(marksUp).map(({share, text}) => (
        <g key={`y${share}`}>
          <line class="grid" x1={left} x2={width - margin.right} y1={py(share)} y2={py(share)} />
          <text class="tick" x={left - 8} y={py(share) + 4} text-anchor="end"><title>{text}</title>{fitted(text, left - 26)}</text>
        </g>
      ))}
      {x.marks(Math.max(2, width / marksAcross)).map(({share, text}) => (
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

/** Candidates by two metrics; candidates of the front have a different shape. */
export function Scatter({space, x, y, passes, chosen}: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const group = useRef<SVGGElement>(null);
  const [current, setCurrent] = useState(0);
  const front = new Set(space.front);
  const left = Math.min(width * 0.3, 32 + Math.max(30, ...y.marks(marksUp).map(({text}) => textWidth(text))));
  const px = (share: number) => left + 8 + share * (width - left - margin.right - 16);
  const py = (share: number) => height - margin.bottom - 8 - share * (height - margin.top - margin.bottom - 16);
  const isThere = (index: number) => passes[index] && x.values[index] !== null && y.values[index] !== null;
  const order = [...passes.keys()].filter(isThere).sort((a, b) =>
    Number(front.has(a)) - Number(front.has(b)) || x.rank[a]! - x.rank[b]!);
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
        <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group"
          aria-label={`${titled(y.name)} over ${titled(x.name)}, a point for each candidate`}>
          <Axes {...{x, y, left, width, px, py}} />
          <g ref={group} onKeyDown={move}>
            {order.map((index, at) => {
              const [cx, cy] = [px(x.share(x.rank[index]!)), py(y.share(y.rank[index]!))];
              const isFront = front.has(index);
              const values = [x, y].map(({name, values: all, unit}) => `${titled(name)} ${shown(all[index], unit)}`).join(', ');
              const label = `${candidateName(space, index)}: ${values}${isFront ? ', front' : ''}`;
              return (
                <a key={index} href={href({view: 'space', item: String(index)})} aria-label={label} tabIndex={at === focus ? 0 : -1}
                  onFocus={() => setCurrent(at)}>
                  <title>{label}</title>
                  {index === chosen && <circle class="chosen" cx={cx} cy={cy} r={10} />}
                  {isFront ? <path class="mark front" d={`M${cx},${cy - 6.5} l6,6.5 l-6,6.5 l-6,-6.5 z`} />
                    : <circle class="mark other" cx={cx} cy={cy} r={3.6} />}
                </a>
              );
            })}
          </g>
        </svg>
      )}
    </div>
  );
}
