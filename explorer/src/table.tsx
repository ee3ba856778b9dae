import type {RefObject} from 'preact';
import {useEffect, useId, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {Row, Run} from './document';
import {TableBody} from './views/table_body';
import {TableHead} from './views/table_head';
import {CopyButton} from './views/copy_button';
import {Prose} from './views/prose';
import {Folded} from './folded';
import {usePrinting} from './views/printing';
import {columnsOf, csv, noteLines, placed, unitOf, type Order} from './views/rows';

export interface TableProps {
  rows: Row[];
  columns?: string[] | undefined;
  caption: string;
  doc?: string | undefined;
  path?: string | undefined;  // Path of the rows in the document, such as `runs.0.report.tables.stages`.
  name?: string | undefined;  // Name of the table; default: the last part of `path`.
  run?: Run | undefined;
  units?: {[column: string]: string} | undefined;
  linkOf?: ((row: Row, column: string) => string | undefined) | undefined;
  // Path of a cell, if rows are not stored in the document in this form.
  atOf?: ((row: Row, column: string) => string | undefined) | undefined;
  folded?: boolean | undefined;
  plain?: boolean | undefined;  // True for a table in a figure, which has the heading.
}

const fewRows = 50;

function tableName({name, path}: TableProps): string {
  return name ?? path?.split('.tables.')[1] ?? '';
}

// Returns the unit of a column, from the table or the report.
function units(props: TableProps): (column: string) => string {
  const {run, units: own} = props;
  const name = tableName(props);
  return column => own && Object.hasOwn(own, column) ? own[column]! : run ? unitOf(run, name, column) : '';
}

function useOpened(): [(path: string) => boolean, (path: string) => void] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (path: string) => {
    const next = new Set(opened);
    if (!next.delete(path)) next.add(path);
    setOpened(next);
  };
  return [path => opened.has(path), toggle];
}

// Leaves out minor columns while the table is wider than its frame. Returns the columns that are left, and the number of
// missing ones. The frame is as wide as the table if there is room, so only the window's width begins with every column.
function useFitting(columns: string[], minor: string[], every: boolean): [RefObject<HTMLDivElement | null>, string[], number] {
  const frame = useRef<HTMLDivElement>(null);
  const [missing, setMissing] = useState(0);
  useEffect(() => {
    const resized = () => setMissing(0);
    addEventListener('resize', resized);
    return () => removeEventListener('resize', resized);
  }, []);
  useLayoutEffect(() => {
    const {current} = frame;
    if (current && !every && missing < minor.length && current.scrollWidth > current.clientWidth) setMissing(missing + 1);
  });
  const left = new Set(every ? [] : minor.slice(0, missing));
  return [frame, columns.filter(column => !left.has(column)), left.size];
}

function minorOf(props: TableProps, columns: string[]): string[] {
  const name = tableName(props);
  const minor = props.run && Object.hasOwn(props.run.minor, name) ? props.run.minor[name]! : [];
  return minor.filter(column => columns.includes(column));
}

function Rows(props: TableProps & {id: string}) {
  const {rows, caption, run, id} = props;
  const [order, setOrder] = useState<Order | null>(null);
  const [all, setAll] = useState(false);
  const [opened, toggle] = useOpened();
  const printing = usePrinting();
  const [every, setEvery] = useState(false);
  const whole = useMemo(() => props.columns ?? columnsOf(rows), [props.columns, rows]);
  const minor = useMemo(() => minorOf(props, whole), [whole]);
  const [frame, columns, missing] = useFitting(whole, minor, every || printing);
  const places = placed(rows, order, printing ? () => true : opened);
  const visible = all || printing ? places : places.slice(0, fewRows);
  const unit = units(props);
  return (
    <>
      <div class="scroll" ref={frame} tabIndex={0} role="group" aria-label={`${caption}, table`}>
        <table class="data" aria-labelledby={id}>
          <TableHead {...{columns, rows, order, setOrder, run}} table={tableName(props)} />
          <TableBody {...{columns, unit, opened, toggle, run}} places={visible} path={props.path} linkOf={props.linkOf} atOf={props.atOf} />
        </table>
      </div>
      {visible.length < places.length && (
        <button type="button" class="more" onClick={() => setAll(true)}>Show all {places.length} rows<span class="unseen">: {caption}</span></button>
      )}
      {missing > 0 && (
        <button type="button" class="more" onClick={() => setEvery(true)}>Show {missing} more columns<span class="unseen">: {caption}</span></button>
      )}
      {run && noteLines(run, tableName(props)).map(line => <p class="note"><Prose text={line} /></p>)}
    </>
  );
}

/** A table whose rows can be sorted, expanded and copied. */
export function DataTable(props: TableProps) {
  const {rows, caption, doc, folded, plain} = props;
  const id = useId();
  const text = () => csv(rows, props.columns ?? columnsOf(rows), units(props));
  const copy = rows.length > 0 && <CopyButton text={text} label="Copy as CSV" of={caption} />;
  const body = rows.length > 0 ? <Rows {...props} id={id} /> : <p class="doc">No rows.</p>;
  if (folded) {
    return (
      <Folded class="figure" summary={<h3 id={id}><bdi>{caption}</bdi></h3>}>
        {() => <>{doc && <p class="doc"><Prose text={doc} /></p>}<div class="tools">{copy}</div>{body}</>}
      </Folded>
    );
  }
  return (
    <section class={plain ? 'plain tabular' : 'figure tabular'}>
      <div class="heading">
        {plain ? <span id={id} class="unseen">{caption}</span> : <h3 id={id}><bdi>{caption}</bdi></h3>}
        <div class="tools">{copy}</div>
      </div>
      {doc && <p class="doc"><Prose text={doc} /></p>}
      {body}
    </section>
  );
}
