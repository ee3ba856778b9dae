import {shown} from '../quantity';
import type {Label, LabelPlaces} from './label_places';
import type {Roof} from './roofs';
import type {LogScale} from './scale';

export interface RoofProps {
  x: LogScale;
  y: LogScale;
  ceilings: Roof[];
  slopes: Roof[];
}

// Visible part of a roof, in pixels.
interface Segment {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

interface Line extends Segment {
  roof: Roof;
  text: string;
  label: Label | null;  // Null: no room; the tooltip and the table contain the text.
  angle: number;
}

function textOf(roof: Roof): string {
  return `${roof.names.join(', ')}: ${shown(roof.value, roof.unit)}`;
}

function ceilingSegment({x, y, slopes}: RoofProps, roof: Roof): Segment {
  const steepest = Math.max(...slopes.map(slope => slope.value));
  const from = slopes.length > 0 ? Math.max(x.low, roof.value / steepest) : x.low;
  return {x1: x.at(from), x2: x.at(x.high), y1: y.at(roof.value), y2: y.at(roof.value)};
}

function slopeSegment({x, y, ceilings}: RoofProps, roof: Roof): Segment | null {
  const highest = Math.max(...ceilings.map(ceiling => ceiling.value));
  const from = Math.max(x.low, y.low / roof.value);
  const to = Math.min(x.high, (ceilings.length > 0 ? highest : y.high) / roof.value);
  return to <= from ? null : {x1: x.at(from), y1: y.at(from * roof.value), x2: x.at(to), y2: y.at(to * roof.value)};
}

// Labels of slopes stand at their lower ends.
function slopeLines(props: RoofProps, places: LabelPlaces): Line[] {
  const {x, y, slopes} = props;
  const angle = Math.atan2(y.at(10) - y.at(1), x.at(10) - x.at(1)) * 180 / Math.PI;
  return slopes.flatMap(roof => {
    const segment = slopeSegment(props, roof);
    if (!segment) return [];
    const label = {x: segment.x1 + 10, y: segment.y1 + 10 * Math.tan(angle * Math.PI / 180) - 6, text: textOf(roof)};
    places.takeAlong(label, angle);
    return [{...segment, roof, text: label.text, label, angle}];
  });
}

// Labels of ceilings stand above their lines: at the right end, or at the left end, and without the rate if room is scarce.
function ceilingLines(props: RoofProps, places: LabelPlaces): Line[] {
  return props.ceilings.map(roof => {
    const segment = ceilingSegment(props, roof);
    const text = textOf(roof);
    const candidates = [text, roof.names.join(', ')].flatMap(short => [segment.x2 - 4 - places.width(short), segment.x1 + 6]
      .map(at => ({x: at, y: segment.y1 - 4, text: short})));
    return {...segment, roof, text, label: places.take(candidates), angle: 0};
  });
}

/** Returns the lines of roofs with their labels, which take their places first. */
export function roofLines(props: RoofProps, places: LabelPlaces): Line[] {
  return [...slopeLines(props, places), ...ceilingLines(props, places)];
}

export function RoofLines({lines}: {lines: Line[]}) {
  return (
    <g class="roofs">
      {lines.map(({roof, text, label, angle, ...segment}) => (
        <g key={roof.at} data-value={String(roof.value)} data-at={roof.at}>
          <title>{text}</title>
          <line class={roof.used ? 'roof' : 'roof unused'} {...segment} />
          {label && (
            <text class="roof" x={label.x} y={label.y} transform={`rotate(${angle} ${label.x} ${label.y})`}>{label.text}</text>
          )}
        </g>
      ))}
    </g>
  );
}
