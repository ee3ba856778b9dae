import type {Run} from '../document';
import {href, parse} from '../address';

function isShown(run: Run, view: string): boolean {
  return run.views.some(({name}) => name === view) || view === 'graph' && run.graph !== null || view === 'timeline' && run.timeline !== null;
}

/** Sentences about numbers that stand out, each with a link to the place that shows more. */
export function HintsDrawing({run}: {run: Run}) {
  return (
    <section class="figure hints" aria-label="Hints">
      <h3>Look first at</h3>
      <ol>
        {run.hints.map(({message, see}) => {
          const place = parse(see);
          const text = <bdi>{message}</bdi>;
          return <li key={message}>{isShown(run, place.view) ? <a href={href(place)}>{text}</a> : text}</li>;
        })}
      </ol>
    </section>
  );
}
