import { IntlMessageFormat } from 'intl-messageformat'
import { globSync } from 'node:fs'
import { argv, exit, stderr } from 'node:process'
import ts from 'typescript'

import { languages, readMessages } from '../src/locales/texts.ts'

/*
 * Compares the files of src/locales with each other and with the code: `node .ci/check-texts.ts`. It names keys that a language lacks or
 * that English lacks, keys that no code uses, and values that a message needs and a call does not have.
 */

export type Messages = ReadonlyMap<string, string>

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** Returns the names of the values and tags of a message. @throws SyntaxError if the message is not valid */
export function valuesOf(message: string): string[] {
  return [...new Set(namesIn(new IntlMessageFormat(message, 'en').getAst()))].sort()
}

const LITERAL = 0

const namesIn = (elements: readonly Element[]): string[] =>
  elements.flatMap((element) => [
    ...(Number(element.type) === LITERAL || !('value' in element) ? [] : [element.value]),
    ...('children' in element ? namesIn(element.children) : []),
    ...('options' in element ? Object.values(element.options).flatMap(({ value }) => namesIn(value)) : []),
  ])

/** Compares a language with English. */
export function compareWithEnglish(language: string, messages: Messages, english: Messages): string[] {
  const missing = [...english.keys()].filter((key) => !messages.has(key)).map((key) => `${language}.json lacks ${key}`)
  const others = [...messages].flatMap(([key, message]) => {
    const own = english.get(key)
    if (own === undefined) return [`${language}.json has ${key}, which en.json lacks`]
    const [values, expected] = [valuesOf(message), valuesOf(own)]
    const unknown = values.filter((name) => !expected.includes(name))
    return unknown.length > 0 ? [`${language}.json: ${key} has {${unknown.join(', ')}}, which en.json lacks`] : []
  })
  return [...missing, ...others]
}

/**
 * Compares the root files of a program with the English messages. Keys are string literals, or templates such as `issue.steps.${status}`:
 * they name exactly the keys that the types of their values allow. `texts.section` and `texts.list` name all messages below a path.
 */
export function compareWithCode(program: ts.Program, english: Messages): string[] {
  const checker = program.getTypeChecker()
  const named = new Set<string>()
  const sections = new Set<string>()
  const wrongCalls: string[] = []
  for (const file of program.getRootFileNames()) {
    const visit = (node: ts.Node): void => {
      for (const path of pathsOf(node, checker)) (isSection(node) ? sections : named).add(path)
      if (ts.isCallExpression(node)) wrongCalls.push(...checkCall(node, english).map((error) => `${file}: ${error}`))
      ts.forEachChild(node, visit)
    }
    const source = program.getSourceFile(file)
    if (source) visit(source)
  }
  const unused = [...english.keys()].filter((key) => {
    const above = key.split('.').map((_, n, parts) => parts.slice(0, n).join('.'))
    const isNamed = named.has(key) || named.has(key.replace(/^(errors|plain)\./, ''))
    return !isNamed && !above.some((path) => sections.has(path))
  })
  return [...unused.map((key) => `no code uses ${key}`), ...wrongCalls]
}

/**
 * Returns the text of a literal, or the texts that a template can have. A template with a value of type `string` names no key, and
 * a type names none.
 */
function pathsOf(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (ts.isStringLiteralLike(node)) return ts.isLiteralTypeNode(node.parent) ? [] : [node.text]
  if (!ts.isTemplateExpression(node) || !/^\w+\.[\w.]*$/.test(node.head.text)) return []
  return node.templateSpans.reduce(
    (starts, { expression, literal }) => {
      const words = wordsOf(checker.getTypeAtLocation(expression), checker)
      return starts.flatMap((start) => words.map((word) => `${start}${word}${literal.text}`))
    },
    [node.head.text],
  )
}

function wordsOf(type: ts.Type, checker: ts.TypeChecker): (string | number)[] {
  const known = checker.getBaseConstraintOfType(type) ?? type
  const parts = known.isUnion() ? known.types : [known]
  return parts.flatMap((part) => (part.isStringLiteral() || part.isNumberLiteral() ? [part.value] : []))
}

const isSection = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) &&
  ts.isPropertyAccessExpression(parent.expression) &&
  /^(section|list)$/.test(parent.expression.name.text)

/** Compares the values of `texts(key, values)`, `richText(texts, key, values)` and `text(code, values)` with the message, if all are literals. */
function checkCall({ expression, arguments: given }: ts.CallExpression, english: Messages): string[] {
  const name = expression.getText()
  const [first, second, third] = given
  const [start, key, values] =
    name === 'text' ? ['errors.', first, second] : ['', ...(name === 'richText' ? [second, third] : [first, second])]
  if (!key || !ts.isStringLiteralLike(key)) return []
  const message = english.get(`${start}${key.text}`)
  if (message === undefined || !/^(text|texts|richText|textsIn\(.*\))$/s.test(name)) return []
  if (values && !ts.isObjectLiteralExpression(values)) return []
  if (values?.properties.some((property) => ts.isSpreadAssignment(property))) return []
  const names = values?.properties.map((property) => property.name?.getText() ?? '') ?? []
  const expected = valuesOf(message)
  const missing = expected.filter((one) => !names.includes(one))
  const unknown = names.filter((one) => !expected.includes(one))
  return [
    ...(missing.length > 0 ? [`${key.text} needs {${missing.join(', ')}}`] : []),
    ...(unknown.length > 0 ? [`${key.text} has no {${unknown.join(', ')}}`] : []),
  ]
}

function readOptions(): ts.CompilerOptions {
  const found = ts.getParsedCommandLineOfConfigFile(
    'tsconfig.json',
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )
  if (!found) throw new Error('tsconfig.json cannot be read')
  return found.options
}

function main(): void {
  const english = readMessages('en')
  // The keys in src/locales are computed from codes of any text.
  const paths = globSync(['src/**/*.ts', 'jobs/**/*.ts', 'prisma/**/*.ts'], { exclude: ['prisma/generated/**', 'src/locales/**'] })
  const errors = [
    ...languages.filter((one) => one !== 'en').flatMap((one) => compareWithEnglish(one, readMessages(one), english)),
    ...compareWithCode(ts.createProgram(paths, readOptions()), english),
  ]
  for (const error of errors) stderr.write(`${error}\n`)
  if (errors.length > 0) exit(1)
}

if (argv[1] === import.meta.filename) main()
