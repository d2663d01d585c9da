import { IntlMessageFormat } from 'intl-messageformat'
import { globSync, readFileSync } from 'node:fs'
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

/** Compares the code with the English messages. Keys are string literals, or templates such as `issue.steps.${status}`. */
export function compareWithCode(files: ReadonlyMap<string, string>, english: Messages): string[] {
  const literals = new Set<string>()
  const patterns: RegExp[] = []
  const wrongCalls: string[] = []
  for (const [file, code] of files) {
    const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) literals.add(node.text)
      if (ts.isTemplateExpression(node) && /^\w+\./.test(node.head.text)) patterns.push(toPattern(node))
      if (ts.isCallExpression(node)) wrongCalls.push(...checkCall(node, english).map((error) => `${file}: ${error}`))
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  const unused = [...english.keys()].filter((key) => {
    const paths = key.split('.').map((_, n, parts) => parts.slice(0, n + 1).join('.'))
    const isNamed =
      paths.slice(1).some((path) => literals.has(path)) || literals.has(key) || literals.has(key.replace(/^errors\./, ''))
    return !isNamed && !patterns.some((pattern) => pattern.test(key))
  })
  return [...unused.map((key) => `no code uses ${key}`), ...wrongCalls]
}

/** The expressions of a template stand for anything. A template also names the messages below it. */
function toPattern({ head, templateSpans }: ts.TemplateExpression): RegExp {
  const parts = [head.text, ...templateSpans.map(({ literal }) => literal.text)]
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')).join('.+')}(\\..+)?$`)
}

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

function main(): void {
  const english = readMessages('en')
  const paths = globSync(['src/**/*.ts', 'jobs/**/*.ts', 'prisma/**/*.ts'], { exclude: ['prisma/generated/**'] })
  const files = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
  const errors = [
    ...languages.filter((one) => one !== 'en').flatMap((one) => compareWithEnglish(one, readMessages(one), english)),
    ...compareWithCode(files, english),
  ]
  for (const error of errors) stderr.write(`${error}\n`)
  if (errors.length > 0) exit(1)
}

if (argv[1] === import.meta.filename) main()
