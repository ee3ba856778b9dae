import {Figure} from '../figure';
import {percent, titled} from '../quantity';
import {Quantity} from '../quantity_view';
import type {DrawingProps} from './drawing';
import {color} from './pattern';
import {isDrawn, sumOf, type Part, type Sum} from './sum';
import {SumTable} from './sum_table';

interface BarProps {
  begin: number;  // Shares of the total.
  size: number;
  part: number;
}

function Bar({begin, size, part}: BarProps) {
  const style = {insetInlineStart: `${begin * 100}%`, width: `${size * 100}%`, background: part < 0 ? 'var(--soft)' : color(part)};
  return <div class="track" aria-hidden="true"><div style={style} /></div>;
}

function PartRow({part: {label, value, before, doc, at, link}, sum, group}: {part: Part; sum: Sum; group: number}) {
  const text = <bdi>{label}</bdi>;
  return (
    <tr>
      <th scope="row" title={doc}>{link ? <a href={link}>{text}</a> : text}</th>
      <td class="bars"><Bar begin={Math.min(before, before + value) / sum.total} size={Math.abs(value) / sum.total} part={group} /></td>
      <td class="number"><Quantity value={value} unit={sum.unit} at={at} /></td>
      <td class="number share">{percent(value / sum.total)}</td>
    </tr>
  );
}

// Draws the parts of a group below its name and share. A part that is a group by itself needs no name above it.
function Group({name, parts, sum, index}: {name: string; parts: Part[]; sum: Sum; index: number}) {
  const share = parts.reduce((total, {value}) => total + value, 0) / sum.total;
  return (
    <tbody>
      {(parts.length > 1 || parts[0]!.label !== titled(name)) && (
        <tr class="group"><th colSpan={4} scope="rowgroup"><bdi>{titled(name)}</bdi> {percent(share)}</th></tr>
      )}
      {parts.map(part => <PartRow key={part.label} {...{part, sum}} group={index} />)}
    </tbody>
  );
}

function Picture({sum, title}: {sum: Sum; title: string}) {
  const groups = [...new Set(sum.parts.map(({group}) => group))];
  return (
    <table class="waterfall" aria-label={title}>
      {groups.map((name, index) => {
        const parts = sum.parts.filter(({group, value}) => group === name && isDrawn(value, sum));
        return parts.length > 0 && <Group key={name} {...{name, parts, sum, index}} />;
      })}
      <tfoot>
        <tr>
          <th scope="row">{sum.link ? <a href={sum.link}>total</a> : 'total'}</th>
          <td class="bars"><Bar begin={0} size={1} part={-1} /></td>
          <td class="number"><Quantity value={sum.total} unit={sum.unit} at={sum.at} /></td>
          <td class="number share">{percent(1)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

/** Draws the parts of a metric one below the other; each begins where the previous one ends, and together they are the metric. */
export function WaterfallDrawing({drawing, run, runIndex}: DrawingProps) {
  const sum = sumOf(run, runIndex, drawing);
  const title = drawing.title ?? '';
  if (!sum || !(sum.total > 0)) return null;
  return <Figure name="main" title={title} table={() => <SumTable {...{sum, title}} />}><Picture {...{sum, title}} /></Figure>;
}
