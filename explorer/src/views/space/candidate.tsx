import type {ExploreDocument, Space} from '../../document';
import {href} from '../../address';
import {shown, titled} from '../../quantity';
import {Quantity} from '../../quantity_view';
import {CopyButton} from '../copy_button';
import type {Column} from './columns';

function quoted(word: string): string {
  return /^[\w.,:=/+-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`;
}

/** The words that ask for a candidate: those of the space with what is chosen. */
export function commandOf(space: Space, index: number): string {
  const chosen = space.axes.flatMap(axis => ['--set', quoted(`${axis}=${String(space.candidates[axis]?.[index])}`)]);
  return ['opledger explore', space.command, ...chosen].join(' ');
}

interface Props {
  document: ExploreDocument;
  space: Space;
  columns: Column[];
  index: number;
}

/** A candidate by its values, and the way to its whole run. */
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
            <dd>{typeof values[index] === 'number' ? <Quantity value={values[index]} unit={unit} at={`space.candidates.${name}.${index}`} /> : <bdi>{shown(values[index], unit)}</bdi>}</dd>
          </div>
        ))}
      </dl>
      {view !== undefined ? <p><a href={href({view, options: {run: String(run)}})}>Open its run</a></p>
        : <p class="ask"><code><bdi>{command}</bdi></code> <CopyButton text={() => command} label="Copy" of="the command" /></p>}
    </section>
  );
}
