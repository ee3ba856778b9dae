// Does the schema for editors judge as `opledger validate` does? On every document of the library, and on mutated ones. usage: agreement.mjs PROGRAM SOURCE
// Only what the schema can say is compared: it knows no formulas, and a key that the program takes for a parameter of an unknown model is none to it.
import {spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import Ajv from 'ajv'
import {parse} from 'yaml'

const [program, source] = process.argv.slice(2)
const FOLDERS = ['ops', 'play/orders', 'models', 'rules', 'systems', 'executions', 'stacks', 'accounting', 'search/spaces', 'search/plans', 'search/changes', 'measured/validations', 'measured/measurements']
const MUTATED = ['execution', 'stack', 'system']
const PER_DOCUMENT = 4
const CHUNK = 8 // messages are no more than so many in one go
// What validate finds and a schema can't: names and units in formulas, values against each other, what is in other documents.
const DEEPER = /unknown name|number with a unit|has no parts|is listed by its name|already/

function* files(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* files(path)
    else if (name.endsWith('.yaml')) yield path
  }
}

let seed = 1
const chance = n => (seed = (seed * 48271) % 2147483647) % n
const pick = list => list[chance(list.length)]

function* places(value) {
  if (value === null || typeof value !== 'object') return
  for (const key of Object.keys(value)) {
    yield [value, key]
    yield* places(value[key])
  }
}

function renamed(container, key, name) {
  const entries = Object.entries(container).map(([k, v]) => [k === key ? name : k, v])
  for (const k of Object.keys(container)) delete container[k]
  Object.assign(container, Object.fromEntries(entries))
}

// A key with a slip, a word that is none, a value of another form, or a key that is missing.
function mutate(data) {
  const copy = structuredClone(data)
  const all = [...places(copy)].filter(([container, key]) => !['kind', 'name', 'doc', 'source'].includes(key) && !(container === copy.mesh))
  if (all.length === 0) return undefined
  const [container, key] = pick(all)
  const act = chance(4)
  if (act === 0 && !Array.isArray(container)) renamed(container, key, key + 's')
  else if (act === 1 && typeof container[key] === 'string') container[key] = 'no_such_word'
  else if (act === 2) container[key] = pick([[[1]], {x: {y: 1}}])
  else if (!Array.isArray(container)) delete container[key]
  return copy
}

const ajv = new Ajv({strict: false, allErrors: true, logger: false})
const accepts = ajv.compile(JSON.parse(readFileSync('closed.schema.json', 'utf8')))
rmSync('documents', {recursive: true, force: true})

const wrong = []
const cases = []
const add = (from, data) => {
  const path = `documents/${cases.length}/${basename(from)}` // a document is called like its file
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, JSON.stringify(data))
  const good = accepts(data)
  const why = good ? '' : accepts.errors.slice(-3).map(e => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`).join('; ')
  cases.push({from, path, data, good, why})
}
const originals = []
for (const folder of FOLDERS) {
  for (const path of files(join(source, folder))) {
    const data = parse(readFileSync(path, 'utf8'), {maxAliasCount: -1})
    if (data?.kind === undefined) continue // of another tool
    originals.push(path)
    if (!accepts(data)) wrong.push(`${path}: ${accepts.errors.slice(0, 3).map(e => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`).join('; ')}`)
    if (!MUTATED.includes(data.kind)) continue
    for (let i = 0; i < PER_DOCUMENT; ++i) {
      const changed = mutate(data)
      if (changed !== undefined) add(path, changed)
    }
  }
}

for (let i = 0; i < cases.length; i += CHUNK) {
  const some = cases.slice(i, i + CHUNK)
  const {stderr} = spawnSync(program, ['validate', ...some.map(c => c.path)], {encoding: 'utf8', maxBuffer: 1 << 26})
  const lines = stderr.split('\n')
  for (const one of some) one.said = lines.filter(l => l.startsWith(one.path + ':') && (/: error: /.test(l) || /unknown field/.test(l)))
}
let agreed = 0
for (const {from, path, data, good, why, said} of cases) {
  const fine = said.length === 0
  // The accounting of an extended stack is in another document: without a key of its own, the schema takes the default one.
  const elsewhere = data.kind === 'stack' && data.extends !== undefined && data.accounting === undefined
  if (good === fine || (good && DEEPER.test(said.join('\n'))) || (elsewhere && !good)) ++agreed
  else wrong.push(`${from} as ${path}: the schema says ${good ? 'good' : why}, validate ${fine ? 'good' : said[0]}`)
}
if (originals.length < 100 || cases.length < 100 || cases.every(c => c.good)) wrong.push('too little was compared')
if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exit(1)
}
console.log(`${originals.length} documents, ${cases.length} mutated, of which ${cases.filter(c => !c.good).length} are bad`)
