import {shown} from '../quantity';
import type {Label} from './marks';
import type {Roof} from './roofs';
import type {LogScale} from './scale';
import {textWidth} from './width';

interface Props {
  x: LogScale;
  y: LogScale;
  ceilings: Roof[];
  slopes: Roof[];
}

/** Returns the labels of ceilings. */
export function ceilingLabels({x, y, ceilings}: Props): Label[] {
  return ceilings.map(roof => {
    const text = ceilingText(roof);
    return {x: x.at(x.high) - 4 - textWidth(text), y: y.at(roof.value) - 4, text};
  });
}

function ceilingText(roof: Roof): string {
  return `${roof.names.join(', ')}: ${shown(roof.value, roof.unit)}`;
}

// Labels are above their lines. A label that would overlap the previous one is omitted; the tooltip and the table
// contain its text.
function Ceilings({x, y, ceilings, slopes}: Props) {
  const steepest = Math.max(...slopes.map(slope => slope.value));
  let last = -Infinity;
  return (
    <>
      {ceilings.map(roof => {
        const from = slopes.length > 0 ? Math.max(x.low, roof.value / steepest) : x.low;
        const at = y.at(roof.value);
        const free = at - last >= 14;
        if (free) last = at;
        const label = ceilingText(roof);
        return (
          <g key={roof.at} data-value={String(roof.value)} data-at={roof.at}>
            <title>{label}</title>
            <line class={roof.used ? 'roof' : 'roof unused'} x1={x.at(from)} x2={x.at(x.high)} y1={at} y2={at} />
            {free && <text class="roof" x={x.at(x.high) - 4} y={at - 4} text-anchor="end">{label}</text>}
          </g>
        );
      })}
    </>
  );
}

function Slopes({x, y, ceilings, slopes}: Props) {
  const highest = Math.max(...ceilings.map(ceiling => ceiling.value));
  const angle = Math.atan2(y.at(10) - y.at(1), x.at(10) - x.at(1)) * 180 / Math.PI;
  return (
    <>
      {slopes.map(roof => {
        const from = Math.max(x.low, y.low / roof.value);
        const to = Math.min(x.high, (ceilings.length > 0 ? highest : y.high) / roof.value);
        if (to <= from) return null;
        const [tx, ty] = [x.at(from) + 10, y.at(from * roof.value)];
        const label = ceilingText(roof);
        const lifted = ty + (x.at(from) + 10 - x.at(from)) * Math.tan(angle * Math.PI / 180) - 6;
        return (
          <g key={roof.at} data-value={String(roof.value)} data-at={roof.at}>
            <title>{label}</title>
            <line class={roof.used ? 'roof' : 'roof unused'} x1={x.at(from)} y1={y.at(from * roof.value)} x2={x.at(to)} y2={y.at(to * roof.value)} />
            <text class="roof" x={tx} y={lifted} transform={`rotate(${angle} ${tx} ${lifted})`}>{label}</text>
          </g>
        );
      })}
    </>
  );
}

export function RoofLines(props: Props) {
  return <g class="roofs"><Slopes {...props} /><Ceilings {...props} /></g>;
}
