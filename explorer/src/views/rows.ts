// Rows of a table prepared for display: columns, units, order and tree.
import type {Definition, Row, Run, Value} from '../document';
import {exact, titled} from '../quantity';

/** A row and its position in the tree. */
export interface Placed {
  row: Row;
  path: string;  // Path below the table's path, such as `2` or `2.rows.0`.
  depth: number;
  rows: number;  // Number of children.
}

export interface Order {
  column: string;
  largestFirst: boolean;
}

export function below(row: Row): Row[] {
  const rows = Object.hasOwn(row, 'rows') ? row.rows : undefined;
  return Array.isArray(rows) ? rows as Row[] : [];
}

export function cell(row: Row, column: string): Value | undefined {
  return Object.hasOwn(row, column) ? row[column] as Value : undefined;
}

export function numberOf(row: Row, column: string): number {
  const value = cell(row, column);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function textOf(row: Row, column: string): string {
  const value = cell(row, column);
  return value === null || value === undefined ? '' : String(value);
}

export function columnsOf(rows: Row[]): string[] {
  const names = new Set<string>();
  const add = (list: Row[]) => {
    for (const row of list) {
      for (const name of Object.keys(row)) if (name !== 'rows') names.add(name);
      add(below(row));
    }
  };
  add(rows);
  return [...names];
}

export function rowsOf(run: Run, table: string): Row[] {
  return Object.hasOwn(run.report.tables, table) ? run.report.tables[table]! : [];
}

/** Returns the unit of a column. Columns whose name begins with `share` contain parts of a whole. */
export function unitOf(run: Run, table: string, column: string): string {
  const key = `${table}.${column}`;
  const unit = Object.hasOwn(run.report.units, key) ? run.report.units[key]! : '';
  return (unit === '' || unit === '1') && column.startsWith('share') ? 'share' : unit;
}

export function definitionOf(run: Run, table: string, column: string): Definition | undefined {
  const places = run.explanations.columns;
  const key = `${table}.${column}`;
  return Object.hasOwn(places, key) ? run.explanations.definitions[places[key]!] : undefined;
}

/** Returns a key as a heading. */
export function heading(key: string): string {
  const text = titled(key);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function titleOf(run: Run, table: string): string {
  return Object.hasOwn(run.titles, table) ? run.titles[table]! : heading(table);
}

export function docOf(run: Run, table: string): string {
  return Object.hasOwn(run.docs, table) ? run.docs[table]! : '';
}

export function noteLines(run: Run, table: string): string[] {
  const notes = run.report.notes ?? {};
  return Object.hasOwn(notes, table) ? notes[table]! : [];
}

/** Returns the key of a metric, given its id in the report or its name in the accounting. */
export function metricKey(run: Run, id: string): string | undefined {
  if (Object.hasOwn(run.report, id)) return id;
  return Object.entries(run.report.metrics ?? {}).find(([, name]) => name === id)?.[0];
}

export function metricLabel(run: Run, key: string): string {
  const labels = run.report.labels ?? {};
  return titled(Object.hasOwn(labels, key) ? labels[key]! : key);
}

export function metricUnit(run: Run, key: string): string {
  return Object.hasOwn(run.report.units, key) ? run.report.units[key]! : '';
}

const collator = new Intl.Collator('en', {numeric: true});

function compared(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return 1;
  if (typeof b === 'number') return -1;
  return collator.compare(String(a ?? ''), String(b ?? ''));
}

/** Returns the rows, with the children of expanded rows; siblings are sorted. */
export function placed(rows: Row[], order: Order | null, opened: (path: string) => boolean, at = '', depth = 0): Placed[] {
  const places = rows.map((row, index) => ({row, path: `${at}${index}`, depth, rows: below(row).length}));
  if (order) {
    const sign = order.largestFirst ? -1 : 1;
    places.sort((a, b) => sign * compared(cell(a.row, order.column), cell(b.row, order.column)));
  }
  return places.flatMap(place => place.rows > 0 && opened(place.path)
    ? [place, ...placed(below(place.row), order, opened, `${place.path}.rows.`, depth + 1)] : [place]);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvCell(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  return quoted(typeof value === 'number' ? String(value) : exact(value));
}

/** Returns every row in base units, with units in the header. */
export function csv(rows: Row[], columns: string[], unit: (column: string) => string): string {
  const header = columns.map(column => {
    const of = unit(column);
    return quoted(of && of !== '1' && of !== 'ratio' && of !== 'share' ? `${column} [${of}]` : column);
  });
  const lines = placed(rows, null, () => true).map(({row}) => columns.map(column => csvCell(cell(row, column))).join(','));
  return [header.join(','), ...lines].join('\n') + '\n';
}
