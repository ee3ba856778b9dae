import type {Row} from '../document';
import {Figure} from '../figure';
import {titled} from '../quantity';
import {Quantity} from '../quantity_view';
import {DataTable} from '../table';
import type {DrawingProps} from './drawing';
import {cell, columnsOf, definitionOf, docOf, numberOf, rowsOf, textOf, titleOf, unitOf} from './rows';
import {isNumeric} from './table_head';

interface CellProps {
  row: Row;
  column: string;
  unit: string;
  most: number;
  at: string;
}

function BarCell({row, column, unit, most, at}: CellProps) {
  const value = cell(row, column);
  const share = most > 0 ? Math.abs(numberOf(row, column)) / most : 0;
  return (
    <td class="number">
      <Quantity value={value} unit={unit} at={at} />
      {typeof value === 'number' && <div class="bar"><div style={{width: `${share * 100}%`}} /></div>}
    </td>
  );
}

/** A comparison of the rows of a table: a line for each column, with a bar for each row. */
export function BesideDrawing({drawing, run, runIndex}: DrawingProps) {
  const name = drawing.table ?? '';
  const rows = rowsOf(run, name);
  if (rows.length === 0) return null;
  const by = drawing.by ?? columnsOf(rows)[0]!;
  const path = `runs.${runIndex}.report.tables.${name}`;
  const columns = (drawing.columns ?? columnsOf(rows)).filter(column => column !== by && isNumeric(rows, column));
  const title = titleOf(run, name);
  return (
    <Figure title={title} doc={docOf(run, name)} table={() => <DataTable plain {...{rows, path, name, run}} caption={title} />}>
      <div class="scroll free" tabIndex={0} role="group" aria-label={`${title}, side by side`}>
        <table class="beside" aria-label={title}>
          <thead><tr><td />{rows.map(row => <th scope="col"><bdi>{textOf(row, by)}</bdi></th>)}</tr></thead>
          <tbody>
            {columns.map(column => {
              const most = Math.max(...rows.map(row => Math.abs(numberOf(row, column))));
              return (
                <tr key={column}>
                  <th scope="row" title={definitionOf(run, name, column)?.doc}><bdi>{titled(column)}</bdi></th>
                  {rows.map((row, index) => (
                    <BarCell {...{row, column, most}} unit={unitOf(run, name, column)} at={`${path}.${index}.${column}`} />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Figure>
  );
}
