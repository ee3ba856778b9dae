import type {Definition, RulePlace} from './document';
import {Prose} from './views/prose';

interface PlaceProps {
  file?: string | undefined;
  line?: number | undefined;
}

/** The last three parts of a path; the tooltip has the complete path. */
export function FilePlace({file, line}: PlaceProps) {
  if (!file) return null;
  const end = file.split('/').filter(Boolean).slice(-3).join('/');
  const at = line === undefined ? '' : `:${line}`;
  return <span class="file" title={file + at}><bdi>{end}{at}</bdi></span>;
}

export function RuleText({rule}: {rule: RulePlace | null}) {
  if (!rule) return null;
  return <span class="rule"><bdi>{rule.name}</bdi> <FilePlace file={rule.file} line={rule.line} /></span>;
}

interface Props {
  definition: Definition;
  link: string | undefined;  // Link to the defined value.
}

export function DefinitionText({definition: {name, doc, source, formula, file, line, text}, link}: Props) {
  return (
    <div class="definition">
      {formula && <code class="formula"><bdi>{formula}</bdi></code>}
      {doc && <p class="doc"><Prose text={doc} /></p>}
      {source && <p class="source">Source or derivation: <Prose text={source} /></p>}
      {(file || link) && (
        <p class="place">
          <FilePlace file={file} line={line} />
          {text?.trim() && <code title={text}><bdi>{text.trim()}</bdi></code>}
          {link && <a class="permalink" href={link}>Link<span class="unseen"> to {name}</span></a>}
        </p>
      )}
    </div>
  );
}
