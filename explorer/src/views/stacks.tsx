import {useId} from 'preact/hooks';
import type {Row, Run} from '../document';
import {Figure} from '../figure';
import {percent, shown, titled} from '../quantity';
import {DataTable} from '../table';
import type {DrawingProps} from './drawing';
import {fill, Legend, Patterns} from './pattern';
import {definitionOf, docOf, metricKey, metricLabel, metricUnit, numberOf, rowsOf, textOf, titleOf, unitOf} from './rows';
import {fitted, textWidth, useWidth} from './width';

const barHeight = 20;
const step = 30;
const sumWidth = 110;

export interface Limit {
  value: number;
  label: string;
  at: string;
}

// Returns the limit of a drawing, if it is a positive metric of the report.
export function limitOf(run: Run, runIndex: number, id: string | undefined): Limit | undefined {
  const key = id === undefined ? undefined : metricKey(run, id);
  const value = key === undefined ? undefined : run.report[key];
  if (key === undefined || typeof value !== 'number' || value <= 0) return undefined;
  return {value, label: `${metricLabel(run, key)} ${shown(value, metricUnit(run, key))}`, at: `runs.${runIndex}.report.${key}`};
}

interface StackProps {
  rows: Row[];
  by: string;
  columns: string[];
  unit: (column: string) => string;
  path: string;
  limit?: Limit | undefined;
  name: string;
}

interface BarProps extends StackProps {
  row: Row;
  index: number;
  left: number;
  scale: number;
  right: number;
  pattern: string;
}

function Bar({row, index, by, columns, unit, path, left, scale, right, pattern, limit}: BarProps) {
  const name = `${titled(by)} ${textOf(row, by)}`;
  const sum = columns.reduce((total, column) => total + numberOf(row, column), 0);
  let x = left;
  const parts = columns.map((column, part) => {
    const value = numberOf(row, column);
    const begin = x;
    x += Math.max(0, value) * scale;
    return value > 0 && (
      <rect key={column} x={begin} y={0} width={Math.max(0.5, x - begin)} height={barHeight} fill={fill(pattern, part)}
        data-value={String(value)} data-at={`${path}.${index}.${column}`}>
        <title>{`${titled(column)}, ${name}: ${shown(value, unit(column))} (${percent(value / sum)})`}</title>
      </rect>
    );
  });
  const total = shown(sum, unit(columns[0] ?? ''));
  return (
    <g transform={`translate(0 ${index * step})`}>
      <text x={left - 8} y={14} text-anchor="end"><title>{name}</title>{fitted(name, left - 10)}</text>
      {parts}
      <text class="value" x={right} y={14} text-anchor="end">{limit && sum > limit.value ? '⚠ over ' : ''}{total}</text>
    </g>
  );
}

function Picture(props: StackProps) {
  const {rows, by, columns, limit, unit, name} = props;
  const [element, width] = useWidth<HTMLDivElement>();
  const pattern = useId();
  const label = (row: Row) => `${titled(by)} ${textOf(row, by)}`;
  const left = Math.min(width * 0.3, 12 + Math.max(...rows.map(row => textWidth(label(row)))));
  const most = Math.max(limit?.value ?? 0, ...rows.map(row => columns.reduce((sum, column) => sum + Math.max(0, numberOf(row, column)), 0)));
  const scale = most > 0 ? Math.max(0, width - left - sumWidth) / most : 0;
  const bottom = rows.length * step;
  const height = bottom + (limit ? 20 : 0);
  const lineAt = limit ? left + limit.value * scale : 0;
  return (
    <div ref={element}>
      <Legend names={columns.map(column => ({name: titled(column)}))}
        swatch={index => <rect width="14" height="14" rx="2" fill={fill(pattern, index)} />} />
      {width > 0 && (
        <svg class="stacks" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img"
          aria-label={`${name}: parts of each ${titled(by)}, stacked, in ${unit(columns[0] ?? '')}`}>
          <Patterns id={pattern} count={columns.length} />
          {rows.map((row, index) => <Bar key={index} {...props} {...{row, index, left, scale, pattern}} right={width} />)}
          {limit && <line class="limit" x1={lineAt} x2={lineAt} y1={-2} y2={bottom} />}
          {limit && <text class="limit" x={lineAt} y={bottom + 13} text-anchor={lineAt > width / 2 ? 'end' : 'start'}
            data-value={String(limit.value)} data-at={limit.at}>{limit.label}</text>}
        </svg>
      )}
    </div>
  );
}

/** Rows as stacked bars of their parts, with the limit as a line. */
export function StacksDrawing({drawing, run, runIndex}: DrawingProps) {
  const name = drawing.table ?? '';
  const rows = rowsOf(run, name);
  const by = drawing.by ?? '';
  if (rows.length === 0) return null;
  const path = `runs.${runIndex}.report.tables.${name}`;
  const unit = (column: string) => unitOf(run, name, column);
  const known = (drawing.columns ?? []).filter(column => rows.some(row => Object.hasOwn(row, column)));
  const docs = known.map(column => definitionOf(run, name, column)?.doc).filter(Boolean);
  return (
    <Figure title={titleOf(run, name)} doc={docOf(run, name) || docs[0]}
      table={() => <DataTable plain {...{rows, path, name, run}} caption={titleOf(run, name)} />}>
      <Picture {...{rows, by, unit, path}} columns={known} limit={limitOf(run, runIndex, drawing.limit)} name={titleOf(run, name)} />
    </Figure>
  );
}
