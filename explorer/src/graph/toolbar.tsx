import {useRef} from 'preact/hooks';
import {titled} from '../quantity';

interface Props {
  columns: string[];
  column: string;
  changes: boolean;
  find: string;
  found: number | null;
  setColumn: (column: string) => void;
  setFind: (pattern: string) => void;
  next: () => void;
}

function Legend({changes}: {changes: boolean}) {
  return changes
    ? <span class="scale"><span>less</span><i class="ramp changes" /><span>more</span></span>
    : <span class="scale"><span>0</span><i class="ramp" /><span>100 %</span></span>;
}

function Colors({columns, column, changes, setColumn}: Props) {
  if (!columns.length) return null;
  return (
    <fieldset class="colours">
      <legend>{changes ? 'Change of' : 'Share of'}</legend>
      {columns.map(name => (
        <label key={name}>
          <input type="radio" name="colour" checked={name === column} onChange={() => setColumn(name)} />
          <span>{titled(name)}</span>
        </label>
      ))}
      <Legend changes={changes} />
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
