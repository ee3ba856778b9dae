import {useState} from 'preact/hooks';
import type {ExplainedNode, ExplainedName, Run} from '../document';
import {go, useAddress} from '../address';
import {Explanation} from '../explanation';
import {Shown} from '../shown';
import {titled} from '../quantity';

interface Props {
  run: Run;
  runIndex: number;
  explained: ExplainedNode;
}

// A quantity; without a place, its explanation was omitted because of the size limit.
interface Quantity {
  of: ExplainedName;
  at: string;  // Path of the value in the document.
  place?: number;
}

interface Grid {
  names: string[];
  columns: string[];
  at: Map<string, Quantity>;  // Quantity by name and column.
}

function quantitiesOf(run: Run, runIndex: number, {name, quantities}: ExplainedNode): Quantity[] {
  const {opened, nodes} = run.explanations;
  const node = nodes.findIndex(one => one.name === name);
  return quantities.flatMap((quantity, i) => {
    if (typeof quantity !== 'number') return [{of: quantity, at: `runs.${runIndex}.explanations.nodes.${node}.quantities.${i}.value`}];
    const of = opened[quantity];
    return of ? [{of, place: quantity, at: `runs.${runIndex}.explanations.opened.${quantity}.value`}] : [];
  });
}

// Returns the quantities as a grid. A name with several points gives a row, with a column for the remaining words of each point.
function gridOf(name: string, quantities: Quantity[]): Grid {
  const names = new Set<string>();
  const columns = new Set<string>();
  const at = new Map<string, Quantity>();
  for (const quantity of quantities) {
    const {of} = quantity;
    const column = Object.values(of.point ?? {}).filter(value => value !== name).join(' ');
    names.add(of.name);
    columns.add(column);
    at.set(JSON.stringify([of.name, column]), quantity);
  }
  return {names: [...names], columns: [...columns], at};
}

/** Quantities by phase; each expands to its explanation. */
export function Quantities({run, runIndex, explained}: Props) {
  const address = useAddress();
  const linked = Number(address.options.get('name') || NaN);
  const [chosen, setChosen] = useState<number | null>(explained.quantities.includes(linked) ? linked : null);
  const {names, columns, at} = gridOf(explained.name, quantitiesOf(run, runIndex, explained));
  if (!names.length) return null;
  const choose = (place: number) => {
    const open = place === chosen ? null : place;
    setChosen(open);
    const options = new Map(address.options);
    options.delete('name');
    if (open !== null) options.set('name', String(open));
    go({view: address.view || 'graph', item: address.item, options}, true);
  };
  const cell = (name: string, column: string) => {
    const quantity = at.get(JSON.stringify([name, column]));
    if (!quantity) return null;
    const {of, place} = quantity;
    if (place === undefined) return <Shown of={of} at={quantity.at} />;
    const label = [titled(name), column].filter(Boolean).join(', ');
    return (
      <button type="button" class="number" aria-expanded={place === chosen} onClick={() => choose(place)}>
        <span class="unseen">{label}: </span><Shown of={of} at={quantity.at} />
      </button>
    );
  };
  return (
    <section>
      <h4>Quantities</h4>
      <div class="scroll" tabIndex={0} role="group" aria-label="Quantities by phase">
        <table class="values">
          <thead>
            <tr>
              <th scope="col"><span class="unseen">Quantity</span></th>
              {columns.map(column => <th key={column} scope="col"><bdi>{column}</bdi></th>)}
            </tr>
          </thead>
          <tbody>
            {names.map(name => (
              <tr key={name}><th scope="row"><bdi>{titled(name)}</bdi></th>{columns.map(column => <td key={column}>{cell(name, column)}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {chosen !== null && <Explanation key={chosen} run={run} place={chosen} runIndex={runIndex} />}
    </section>
  );
}
