import {DataTable} from '../table';
import type {DrawingProps} from './drawing';
import {docOf, rowsOf, titleOf} from './rows';

/** A table of the report, unchanged. */
export function TableDrawing({drawing, run, runIndex}: DrawingProps) {
  const name = drawing.table ?? '';
  const rows = rowsOf(run, name);
  if (rows.length === 0) return null;
  const path = `runs.${runIndex}.report.tables.${name}`;
  return <DataTable {...{rows, path, name, run}} columns={drawing.columns} caption={titleOf(run, name)} doc={docOf(run, name)} />;
}
