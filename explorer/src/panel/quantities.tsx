import {useState} from 'preact/hooks';
import type {ExplainedNode, Run} from '../document';
import {go, useAddress} from '../address';
import {Explanation} from '../explanation';
import {Shown} from '../shown';
import {titled} from '../quantity';

interface Props {
  run: Run;
  runIndex: number;
  explained: ExplainedNode;
}

interface Grid {
  names: string[];
  columns: string[];
  at: Map<string, number>;  // a place in `opened` by name and column
}

/** A name at several points makes a row: a column for whatever else the point says beside the node. */
function gridOf(run: Run, {name, quantities}: ExplainedNode): Grid {
  const names = new Set<string>();
  const columns = new Set<string>();
  const at = new Map<string, number>();
  for (const place of quantities) {
    const of = run.explanations.opened[place];
    if (!of) continue;
    const column = Object.values(of.point ?? {}).filter(value => value !== name).join(' ');
    names.add(of.name);
    columns.add(column);
    at.set(JSON.stringify([of.name, column]), place);
  }
  return {names: [...names], columns: [...columns], at};
}

/** Quantities by phase; each opens what it is made of. */
export function Quantities({run, runIndex, explained}: Props) {
  const address = useAddress();
  const linked = Number(address.options.get('name') ?? NaN);
  const [chosen, setChosen] = useState<number | null>(explained.quantities.includes(linked) ? linked : null);
  const {names, columns, at} = gridOf(run, explained);
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
    const place = at.get(JSON.stringify([name, column]));
    if (place === undefined) return null;
    const label = [titled(name), column].filter(Boolean).join(', ');
    return (
      <button type="button" class="number" aria-expanded={place === chosen} onClick={() => choose(place)}>
        <span class="unseen">{label}: </span><Shown of={run.explanations.opened[place]!} at={`runs.${runIndex}.explanations.opened.${place}.value`} />
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
