import {useId, useMemo, useState} from 'preact/hooks';
import type {Row, Run} from '../document';
import {Figure} from '../figure';
import {titled} from '../quantity';
import {Quantity} from '../quantity_view';
import {DataTable} from '../table';
import type {DrawingProps} from './drawing';
import {Legend} from './pattern';
import {LineSwatch, Plot} from './plot';
import type {PlotLine} from './steps';
import {cell, docOf, numberOf, rowsOf, textOf, titleOf, unitOf} from './rows';
import {limitOf} from './stacks';

interface Group {
  unit: string;
  most: number;
  lines: PlotLine[];
}

// Groups lines into plots by unit and size. A line much smaller than the largest one of its plot would appear flat.
function groups(run: Run, table: string, rows: Row[], columns: string[]): Group[] {
  const out: Group[] = [];
  columns.forEach((column, part) => {
    const values = rows.map(row => typeof cell(row, column) === 'number' ? numberOf(row, column) : null);
    const unit = unitOf(run, table, column);
    const most = Math.max(0, ...values.map(value => Math.abs(value ?? 0)));
    const like = out.find(group => group.unit === unit && most > group.most / 8 && most < group.most * 8);
    if (like) like.lines.push({name: column, values, part});
    else out.push({unit, most, lines: [{name: column, values, part}]});
  });
  return out;
}

interface ReadoutProps {
  run: Run;
  table: string;
  row: Row;
  by: string;
  columns: string[];
  path: string;
}

function Readout({run, table, row, by, columns, path}: ReadoutProps) {
  return (
    <p class="readout">
      <strong><bdi>{textOf(row, by)}</bdi></strong>{' '}
      {columns.map(column => (
        <span key={column}>{titled(column)} <Quantity value={cell(row, column)} unit={unitOf(run, table, column)}
          at={`${path}.${column}`} />{' '}</span>
      ))}
    </p>
  );
}

function Picture({drawing, run, runIndex, rows}: DrawingProps & {rows: Row[]}) {
  const name = drawing.table ?? '';
  const by = drawing.by ?? '';
  const id = useId();
  const columns = drawing.columns ?? [];
  const x = useMemo(() => rows.map((_, index) => index), [rows]);
  const plots = useMemo(() => groups(run, name, rows, columns), [run, name, rows]);
  const top = useMemo(() => {
    const last = plots[plots.length - 1]!.lines[0]!.values;
    return last.reduce<number>((best, value, index) => (value ?? 0) > (last[best] ?? 0) ? index : best, 0);
  }, [plots]);
  const [index, setIndex] = useState(top);
  const limit = limitOf(run, runIndex, drawing.limit);
  return (
    <>
      <Legend names={columns.map(column => ({name: titled(column)}))} swatch={part => <LineSwatch part={part} lines={columns.length} />} />
      {plots.map(({unit, lines, most}) => (
        <Plot key={lines[0]!.name} {...{x, lines, unit, index}} onIndex={setIndex} height={plots.length > 1 ? 170 : 240}
          label={`${lines.map(line => titled(line.name)).join(', ')} over ${titled(by)}`}
          limit={limit && most > limit.value / 4 ? limit : undefined} />
      ))}
      <div class="position">
        <label for={id}>{titled(by)}</label>
        <input id={id} type="range" min={0} max={rows.length - 1} value={index} aria-valuetext={textOf(rows[index]!, by)}
          onInput={event => setIndex(Number(event.currentTarget.value))} />
        <span class="count">{index + 1} of {rows.length}</span>
      </div>
      <Readout {...{run, by, columns}} table={name} row={rows[index]!} path={`runs.${runIndex}.report.tables.${name}.${index}`} />
    </>
  );
}

/** Columns as step lines over the rows; a cursor shows the values of a row. */
export function LinesDrawing(props: DrawingProps) {
  const {drawing, run, runIndex} = props;
  const name = drawing.table ?? '';
  const rows = rowsOf(run, name);
  if (rows.length === 0 || !drawing.columns?.length) return null;
  const path = `runs.${runIndex}.report.tables.${name}`;
  return (
    <Figure title={titleOf(run, name)} doc={docOf(run, name)}
      table={() => <DataTable plain {...{rows, path, name, run}} caption={titleOf(run, name)} />}>
      <Picture {...props} rows={rows} />
    </Figure>
  );
}
