import type {Definition, Row, Run} from '../document';
import {titled} from '../quantity';
import {cell, definitionOf, type Order} from './rows';

interface Props {
  columns: string[];
  rows: Row[];
  table: string;
  run?: Run | undefined;
  order: Order | null;
  setOrder: (order: Order | null) => void;
}

function tooltip(definition: Definition | undefined): string | undefined {
  if (!definition) return undefined;
  return [definition.doc, definition.formula && `${definition.name} = ${definition.formula}`].filter(Boolean).join('\n');
}

export function isNumeric(rows: Row[], column: string): boolean {
  return rows.some(row => typeof cell(row, column) === 'number');
}

// Returns the next order of a column: numbers begin with the largest, words with the first. The third click restores
// the document's order.
function next(order: Order | null, column: string, numeric: boolean): Order | null {
  if (order?.column !== column) return {column, largestFirst: numeric};
  return order.largestFirst === numeric ? {column, largestFirst: !numeric} : null;
}

export function TableHead({columns, rows, table, run, order, setOrder}: Props) {
  return (
    <thead>
      <tr>
        {columns.map(column => {
          const numeric = isNumeric(rows, column);
          const sorted = order?.column === column ? order : null;
          return (
            <th key={column} scope="col" class={numeric ? 'number' : ''}
              aria-sort={sorted ? sorted.largestFirst ? 'descending' : 'ascending' : 'none'}>
              <button type="button" title={run && tooltip(definitionOf(run, table, column))} onClick={() => setOrder(next(order, column, numeric))}>
                <bdi>{titled(column)}</bdi><span class="arrow" aria-hidden="true">{sorted ? sorted.largestFirst ? '▾' : '▴' : ''}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
