import {useId} from 'preact/hooks';
import {Figure} from '../figure';
import {percent, shown} from '../quantity';
import {Quantity} from '../quantity_view';
import type {DrawingProps} from './drawing';
import {fill, Patterns} from './pattern';
import {limitOf, type Limit} from './stacks';
import {sumOf, type Sum} from './sum';
import {SumTable} from './sum_table';
import {textWidth, useWidth} from './width';

const barHeight = 30;

interface Props {
  sum: Sum;
  limit: Limit | undefined;
  title: string;
}

function Bar({sum, limit, title, pattern}: Props & {pattern: string}) {
  const [element, width] = useWidth<HTMLDivElement>();
  const most = Math.max(sum.total, limit?.value ?? 0);
  const x = (value: number) => 1 + value / most * (width - 2);
  const lineAt = limit ? x(limit.value) : 0;
  const before = limit !== undefined && lineAt > textWidth(limit.label) + 8;
  return (
    <div ref={element}>
      {width > 0 && (
        <svg class="stacks" width={width} height={barHeight + (limit ? 20 : 0)} role="img" aria-label={`${title}: parts in ${sum.unit}`}>
          <Patterns id={pattern} count={sum.parts.length} />
          {limit && <rect class="room" x={x(0)} y={0.5} width={Math.max(0, lineAt - x(0))} height={barHeight - 1} />}
          {sum.parts.map(({label, value, before: begin}, part) => value > 0 && (
            <rect key={label} x={x(begin)} y={0} width={Math.max(0.5, x(begin + value) - x(begin))} height={barHeight} fill={fill(pattern, part)}>
              <title>{`${label}: ${shown(value, sum.unit)} (${percent(value / sum.total)})`}</title>
            </rect>
          ))}
          {limit && <line class="limit" x1={lineAt} x2={lineAt} y1={-2} y2={barHeight + 4} />}
          {limit && <text class="limit" x={lineAt} y={barHeight + 16} text-anchor={before ? 'end' : 'start'}
            data-value={String(limit.value)} data-at={limit.at}>{limit.label}</text>}
        </svg>
      )}
    </div>
  );
}

// The parts below the bar, and the difference between the total and its limit.
function Parts({sum, limit, pattern}: Props & {pattern: string}) {
  const free = limit && limit.value - sum.total;
  return (
    <ul class="legend shares">
      {sum.parts.map(({label, value, doc, at, link}, part) => value !== 0 && (
        <li key={label} title={doc}>
          <svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2" fill={fill(pattern, part)} /></svg>
          {link ? <a href={link}><bdi>{label}</bdi></a> : <bdi>{label}</bdi>} <Quantity value={value} unit={sum.unit} at={at} />
        </li>
      ))}
      <li class="total">together <Quantity value={sum.total} unit={sum.unit} at={sum.at} /></li>
      {free !== undefined && (
        <li class={free < 0 ? 'violated' : undefined}>{free < 0 ? '⚠ over' : 'free'} <Quantity value={Math.abs(free)} unit={sum.unit} /></li>
      )}
    </ul>
  );
}

/** The parts of a metric as one bar, against its limit. */
export function FillDrawing({drawing, run, runIndex}: DrawingProps) {
  const sum = sumOf(run, runIndex, drawing);
  const pattern = useId();
  const title = drawing.title ?? '';
  if (!sum || !(sum.total > 0)) return null;
  const props = {sum, title, limit: limitOf(run, runIndex, drawing.limit)};
  return (
    <Figure title={title} table={() => <SumTable {...props} />}>
      <Bar {...props} pattern={pattern} />
      <Parts {...props} pattern={pattern} />
    </Figure>
  );
}
