import type {ExploreDocument, Space} from '../../document';
import {href} from '../../address';
import {titled} from '../../quantity';
import {Quantity} from '../../quantity_view';
import {CopyButton} from '../copy_button';
import type {Column} from './columns';

/** Returns the command that writes a candidate's execution, if known. */
export function commandOf(space: Space, index: number): string {
  const words = space.commands[index];
  return words ? `opledger ${words}` : '';
}

interface Props {
  document: ExploreDocument;
  space: Space;
  columns: Column[];
  index: number;
}

/** The values of a candidate, and a link to its run. */
export function Candidate({document, space, columns, index}: Props) {
  const run = space.runs.find(({candidate}) => candidate === index)?.run;
  const view = run === undefined ? undefined : document.runs[run]?.graph ? 'graph' : document.runs[run]?.views[0]?.name;
  const command = commandOf(space, index);
  return (
    <section class="candidate" aria-label={`Candidate ${index + 1}`}>
      <div class="heading">
        <h3>Candidate {index + 1}{space.front.includes(index) ? ', of the front' : ''}</h3>
        <div class="tools"><a class="quiet" href={href({view: 'space'})}>Close</a></div>
      </div>
      <dl>
        {columns.map(({name, unit, values}) => (
          <div key={name}>
            <dt><bdi>{titled(name)}</bdi></dt>
            <dd><Quantity value={values[index]} unit={unit} at={`space.candidates.${name}.${index}`} /></dd>
          </div>
        ))}
      </dl>
      {view !== undefined ? <p><a href={href({view, options: {run: String(run)}})}>Open its run</a></p>
        : command && <p class="ask"><code><bdi>{command}</bdi></code> <CopyButton text={() => command} label="Copy" of="the command" /></p>}
    </section>
  );
}
