import {useRef} from 'preact/hooks';
import {percent, shown, titled} from '../quantity';
import type {Coloring} from './shares';

interface Props {
  columns: string[];
  column: string;
  coloring: Coloring | null;
  find: string;
  found: number | null;
  setColumn: (column: string) => void;
  setFind: (pattern: string) => void;
  next: () => void;
}

// The ends of the scale are the largest share or change shown.
function Legend({coloring: {changes, most, column}}: {coloring: Coloring}) {
  const size = shown(most, column.unit);
  return changes
    ? <span class="scale"><span>−{size}</span><i class="ramp changes" /><span>+{size}</span></span>
    : <span class="scale"><span>0</span><i class="ramp" /><span>{percent(most)}</span></span>;
}

function Colors({columns, column, coloring, setColumn}: Props) {
  if (!columns.length) return null;
  return (
    <fieldset class="colours">
      <legend>{coloring?.changes ? 'Change of' : 'Share of'}</legend>
      {columns.map(name => (
        <label key={name}>
          <input type="radio" name="colour" checked={name === column} onChange={() => setColumn(name)} />
          <span>{titled(name)}</span>
        </label>
      ))}
      {coloring && <Legend coloring={coloring} />}
    </fieldset>
  );
}

export function Toolbar(props: Props) {
  const input = useRef<HTMLInputElement>(null);
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') props.next();
    else if (event.key === 'Escape') props.setFind('');
    else return;
    event.preventDefault();
  };
  return (
    <div class="graph-tools">
      <Colors {...props} />
      <div class="search">
        <input ref={input} type="search" aria-label="Search names" placeholder="Search: *.norm" value={props.find}
          onInput={event => props.setFind(event.currentTarget.value)} onKeyDown={keys} />
        <output>{props.found === null ? '' : `${props.found} found`}</output>
      </div>
    </div>
  );
}
