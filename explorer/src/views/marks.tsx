// The marks of a roofline. Each phase has a color and a shape; arrow keys move between points in order of size.
import {useRef, useState} from 'preact/hooks';
import type {Run} from '../document';
import {href} from '../address';
import {percent, shown, titled} from '../quantity';
import {color} from './pattern';
import type {Mark} from './roofs';
import type {LogScale} from './scale';
import {nodeLink} from './table_body';
import {textWidth} from './width';

export function Shape({part, x, y, r}: {part: number; x: number; y: number; r: number}) {
  const style = {fill: color(part)};
  switch (part % 4) {
    case 0: return <circle class="mark" cx={x} cy={y} r={r} style={style} />;
    case 1: return <rect class="mark" x={x - r * 0.87} y={y - r * 0.87} width={r * 1.74} height={r * 1.74} style={style} />;
    case 2: return <path class="mark" d={`M${x},${y - r * 1.15} l${r * 1.1},${r * 1.95} h${-r * 2.2} z`} style={style} />;
    default:
      return (
        <rect class="mark" x={x - r * 0.9} y={y - r * 0.9} width={r * 1.8} height={r * 1.8} transform={`rotate(45 ${x} ${y})`} style={style} />
      );
  }
}

interface Props {
  run: Run;
  points: Mark[];
  x: LogScale;
  y: LogScale;
  units: [string, string];
  roofs: Label[];
}

export function radius(share: number): number {
  return 2.5 + 26 * Math.sqrt(share);
}

/** A text in the picture. */
export interface Label {
  x: number;
  y: number;
  text: string;
}

// Returns labels for the largest points, each node once. A label is placed next to its point, shifted up or down if
// another label is in the way, or dropped.
function labels(points: Mark[], x: LogScale, y: LogScale, roofs: Label[]): Label[] {
  const out: Label[] = [];
  const most = Math.min(9, (x.at(x.high) - x.at(x.low)) / 130);
  const seen = new Set<string>();
  for (const point of points.slice(0, 40)) {
    if (seen.has(point.name) || out.length >= most) continue;
    seen.add(point.name);
    const width = textWidth(point.name, 11);
    const r = radius(point.share);
    const right = x.at(point.x) + r + 4 + width < x.at(x.high);
    const at = {x: right ? x.at(point.x) + r + 4 : x.at(point.x) - r - 4 - width, y: y.at(point.y) + 4, text: point.name};
    const covers = (other: Label) => Math.abs(other.y - at.y) < 13 && at.x < other.x + textWidth(other.text, 11) && other.x < at.x + width;
    const fits = [0, 14, -14, 28, -28].find(shift => ![...roofs, ...out].some(other => covers({...other, y: other.y - shift})));
    if (fits !== undefined) out.push({...at, y: at.y + fits});
  }
  return out;
}

export function Marks({run, points, x, y, units, roofs}: Props) {
  const group = useRef<SVGGElement>(null);
  const [current, setCurrent] = useState(0);
  const move = (event: KeyboardEvent) => {
    const by = ['ArrowRight', 'ArrowDown'].includes(event.key) ? 1 : ['ArrowLeft', 'ArrowUp'].includes(event.key) ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(points.length - 1, current + by));
    setCurrent(next);
    (group.current?.children[next] as SVGElement | undefined)?.focus();
  };
  return (
    <>
      <g ref={group} onKeyDown={move}>
        {points.map((point, index) => {
          const where = `${shown(point.y, units[1])} at ${shown(point.x, units[0])}`;
          const others = point.points > 1 ? ` and ${point.points - 1} more` : '';
          const label = `${point.name}${others}, ${titled(point.phase)}: ${where}, ${percent(point.share)} of all`;
          return (
            <a key={`${point.row} ${point.phase}`} href={nodeLink(run, point.name) ?? href({view: 'graph', item: point.name})} aria-label={label}
              tabIndex={index === Math.min(current, points.length - 1) ? 0 : -1} onFocus={() => setCurrent(index)}>
              <title>{label}</title>
              <Shape part={point.part} x={x.at(point.x)} y={y.at(point.y)} r={radius(point.share)} />
            </a>
          );
        })}
      </g>
      <g aria-hidden="true" class="labels">{labels(points, x, y, roofs).map(({text, ...at}) => <text key={text} {...at}>{text}</text>)}</g>
    </>
  );
}
