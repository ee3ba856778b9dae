// Loader: runs the page's program. The page's policy allows only this program, by its checksum.
import {textOf} from './packed';

const program = document.getElementById('program') as HTMLScriptElement;
textOf(program).then(text => {
  const script = document.createElement('script');
  script.textContent = text;
  program.replaceWith(script);
}, (error: unknown) => {
  document.getElementById('page')!.textContent = `This page cannot be read: ${String(error)}`;
});
