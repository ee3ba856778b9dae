import type {Definition, RulePlace} from './document';

interface PlaceProps {
  file?: string | undefined;
  line?: number | undefined;
}

/** The end of a path; all of it in the tooltip. */
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

export function DefinitionText({definition: {doc, source, formula, file, line, text}}: {definition: Definition}) {
  return (
    <div class="definition">
      {formula && <code class="formula"><bdi>{formula}</bdi></code>}
      {doc && <p class="doc"><bdi>{doc}</bdi></p>}
      {source && <p class="source">Source: <bdi>{source}</bdi></p>}
      {file && <p class="place"><FilePlace file={file} line={line} />{text?.trim() && <code title={text}><bdi>{text.trim()}</bdi></code>}</p>}
    </div>
  );
}
