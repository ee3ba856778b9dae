import {useEffect, useState} from 'preact/hooks';
import {copyText} from './copy';

interface Props {
  text: () => string;
  label: string;
  of?: string;  // The copied thing, for screen readers.
}

export function CopyButton({text, label, of}: Props) {
  const [state, setState] = useState('');
  useEffect(() => {
    if (!state) return undefined;
    const timer = setTimeout(() => setState(''), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState(await copyText(text()) ? 'Copied' : 'Not copied');
  return (
    <button type="button" class="quiet" onClick={copy}>
      <span aria-live="polite">{state || label}</span>
      {of && <span class="unseen">: {of}</span>}
    </button>
  );
}
