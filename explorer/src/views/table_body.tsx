import type {Row, Run, Value} from '../document';
import {href, hrefExplained} from '../address';
import {shown} from '../quantity';
import {Quantity} from '../quantity_view';
import {cell, textOf, type Placed} from './rows';

interface Props {
  columns: string[];
  places: Placed[];
  unit: (column: string) => string;
  opened: (path: string) => boolean;
  toggle: (path: string) => void;
  path?: string | undefined;
  run?: Run | undefined;
  linkOf?: ((row: Row, column: string) => string | undefined) | undefined;
  atOf?: ((row: Row, column: string) => string | undefined) | undefined;
}

const long = 24;

const nodeNames = new WeakMap<Run, Set<string>>();

/** Returns the link to a node, if a text is the name of a node. */
export function nodeLink(run: Run | undefined, name: unknown): string | undefined {
  if (!run?.graph || typeof name !== 'string') return undefined;
  let names = nodeNames.get(run);
  if (!names) nodeNames.set(run, names = new Set(run.graph.nodes.map(node => node.name)));
  return names.has(name) ? href({view: 'graph', item: name}) : undefined;
}

/** Returns the last three parts of a path, which identify a file. */
export function shortPath(text: string): string {
  if (!/^\/[^\s]+$/.test(text)) return text;
  const parts = text.split('/');
  return parts.length > 4 ? `…/${parts.slice(-3).join('/')}` : text;
}

function Text({value, link}: {value: Value | undefined; link: string | undefined}) {
  const text = shown(value);
  const inner = <bdi>{shortPath(text)}</bdi>;
  const title = text.length > long ? text : undefined;
  return link ? <a class="text" href={link} title={title}>{inner}</a> : <span class="text" title={title}>{inner}</span>;
}

// Returns the unit of a row, from its column `unit` in tables of mixed units.
function ownUnit(row: Row, unit: string): string {
  return unit || textOf(row, 'unit');
}

// Returns the link to the explanation of a cell, if it has one.
function explainedAt({run, path}: Props, place: Placed, column: string): string | undefined {
  const key = `${path?.split('.tables.')[1]}.${column}`;
  if (!run || !Object.hasOwn(run.explanations.cells, key)) return undefined;
  const opened = run.explanations.cells[key]![Number(place.path)];
  return opened === undefined || opened < 0 ? undefined : hrefExplained(opened);
}

function Cell({place, column, props}: {place: Placed; column: string; props: Props}) {
  const value = cell(place.row, column);
  const link = props.linkOf ? props.linkOf(place.row, column) : nodeLink(props.run, value);
  if (typeof value !== 'number') return <Text value={value} link={link} />;
  const at = props.atOf ? props.atOf(place.row, column) : props.path && `${props.path}.${place.path}.${column}`;
  return <Quantity value={value} unit={ownUnit(place.row, props.unit(column))} at={at} link={link ?? explainedAt(props, place, column)} />;
}

function First({place, props}: {place: Placed; props: Props}) {
  const open = props.opened(place.path);
  const name = textOf(place.row, props.columns[0]!);
  return (
    <span class="branch" style={{paddingInlineStart: `${place.depth * 1.1}em`}}>
      {place.rows > 0 && (
        <button type="button" class="twist" aria-expanded={open} aria-label={`Rows below ${name}`} onClick={() => props.toggle(place.path)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        </button>
      )}
      <Cell place={place} column={props.columns[0]!} props={props} />
    </span>
  );
}

export function TableBody(props: Props) {
  const tree = props.places.some(place => place.rows > 0 || place.depth > 0);
  return (
    <tbody>
      {props.places.map(place => (
        <tr key={place.path}>
          {props.columns.map((column, index) => (
            <td key={column} class={typeof cell(place.row, column) === 'number' ? 'number' : ''}>
              {tree && index === 0 ? <First place={place} props={props} /> : <Cell place={place} column={column} props={props} />}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
