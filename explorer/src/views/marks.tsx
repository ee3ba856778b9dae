// The marks of a roofline. Each phase has a color and a shape; arrow keys move between points in order of size.
import {useRef, useState} from 'preact/hooks';
import type {Run} from '../document';
import {href} from '../address';
import {percent, shown, titled} from '../quantity';
import type {Area, Label, LabelPlaces} from './label_places';
import {color} from './pattern';
import type {Mark} from './roofs';
import type {LogScale} from './scale';
import {nodeLink} from './table_body';

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
  labels: Label[];
  chosen: string;  // Name of the node with rings; empty: none.
}

export function radius(share: number): number {
  return 2.5 + 26 * Math.sqrt(share);
}

function areaOf(point: Mark, x: LogScale, y: LogScale): Area {
  const r = radius(point.share) * 1.1;
  return {left: x.at(point.x) - r, right: x.at(point.x) + r, top: y.at(point.y) - r, bottom: y.at(point.y) + r};
}

/** Returns the areas of marks large enough that a label on them would be hard to read. */
export function largeMarks(points: Mark[], x: LogScale, y: LogScale): Area[] {
  return points.filter(({share}) => radius(share) > 4).map(point => areaOf(point, x, y));
}

const labelSize = 11;

/** Returns labels for the largest points, each node once. A label next to its point is dropped if other labels take the room. */
export function markLabels(points: Mark[], x: LogScale, y: LogScale, places: LabelPlaces): Label[] {
  const out: Label[] = [];
  const most = Math.min(9, (x.at(x.high) - x.at(x.low)) / 100);
  const seen = new Set<string>();
  for (const point of points.slice(0, 40)) {
    if (seen.has(point.name) || out.length >= most) continue;
    const {left, right, top, bottom} = areaOf(point, x, y);
    const width = places.width(point.name);
    const [middle, above, below] = [(top + bottom) / 2 + 4, top - 4, bottom + labelSize];
    const along = [middle, middle - 9, middle + 9, above, below];
    const label = places.take([right + 3, left - 3 - width].flatMap(x => along.map(y => ({x, y, text: point.name}))));
    if (!label) continue;
    seen.add(point.name);
    out.push(label);
  }
  return out;
}

export function Marks({run, points, x, y, units, labels, chosen}: Props) {
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
      <g aria-hidden="true">
        {points.filter(({name}) => name === chosen)
          .map(point => <circle key={`${point.row} ${point.phase}`} class="chosen" cx={x.at(point.x)} cy={y.at(point.y)} r={radius(point.share) + 3} />)}
      </g>
      <g aria-hidden="true" class="labels">{labels.map(({text, ...at}) => <text key={text} {...at}>{text}</text>)}</g>
    </>
  );
}
