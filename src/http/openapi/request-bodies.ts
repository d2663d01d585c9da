import { inLanguage, type Text } from '../../locales/texts.ts'

export interface ExampleSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly ExampleSchema[]
  readonly properties?: Readonly<Record<string, ExampleSchema>>
  readonly required?: readonly string[]
  readonly items?: ExampleSchema
  readonly minimum?: number
}

export function toExample(schema: ExampleSchema): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (schema.anyOf?.[0]) return toExample(schema.anyOf[0])
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return toObjectExample(schema)
    case 'array':
      return schema.items ? [toExample(schema.items)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'string':
      return ''
    default:
      return null
  }
}

function toObjectExample({ properties = {}, required = [] }: ExampleSchema): object {
  const included = Object.entries(properties).filter(([name]) => required.length === 0 || required.includes(name))
  return Object.fromEntries(included.map(([name, property]) => [name, toExample(property)]))
}

interface BodySchema extends ExampleSchema {
  readonly title?: string
  readonly format?: string
  readonly anyOf?: readonly BodySchema[]
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly [FORM_FILES]?: readonly string[]
}

export type BodyContent = Readonly<Record<string, { readonly schema?: BodySchema }>>

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'multipart/form-data'

/** Keys of an object whose values may be files of a form. */
const FORM_FILES = 'x-form-files'

/** Every body may be sent as JSON or as a form, but only operations that take files are described with both: see `describeContent`. */
export const mediaTypes = (takesFiles: boolean) => (takesFiles ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE])

/**
 * Describes JSON without files and a form with them as two schemas. Generated clients choose the content type by the type of the body, so
 * one schema for both would be sent twice.
 */
export function describeContent(content: BodyContent): BodyContent {
  const { [JSON_TYPE]: json, [FORM_TYPE]: form } = content
  if (!json?.schema || !form?.schema) return content
  return { [JSON_TYPE]: { ...json, schema: withoutFiles(json.schema) }, [FORM_TYPE]: { schema: toForm(form.schema) } }
}

function withoutFiles({ properties = {}, ...schema }: BodySchema): BodySchema {
  const kept = Object.entries(properties).filter(([, property]) => !isFile(property))
  const plain = kept.map(([name, { [FORM_FILES]: _, ...property }]) => [name, property] as const)
  return { ...schema, properties: Object.fromEntries(plain) }
}

/** A form has the fields of an object by their keys: `answers[summary]`. */
function toForm({ title, properties = {}, examples = [], ...schema }: BodySchema): BodySchema {
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const { [FORM_FILES]: files, examples: [example] = [] } = property
    if (!files) return [[name, isFile(property) ? toFile(property) : property] as const]
    const texts = Object.entries(flatten(name, example))
    return [
      ...texts.map(([key, text]) => [key, { type: 'string', examples: [text] }] as const),
      ...files.map((key) => [`${name}[${key}]`, FILE] as const),
    ]
  })
  const formExamples = examples.map((example) =>
    Object.fromEntries(
      Object.entries(example as object).flatMap(([name, value]) =>
        Object.entries(properties[name]?.[FORM_FILES] ? flatten(name, value) : { [name]: value as unknown }),
      ),
    ),
  )
  return {
    title: `${title}Form`,
    ...schema,
    properties: Object.fromEntries(fields),
    ...(formExamples.length > 0 ? { examples: formExamples } : {}),
  }
}

const flatten = (name: string, value: unknown) =>
  Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [`${name}[${key}]`, inner as unknown]))

const FILE = { type: 'string', format: 'binary' }

const isFile = ({ format, anyOf = [] }: BodySchema): boolean => format === FILE.format || anyOf.some(isFile)

/** A blank field and null stand for no file, as does a missing field. */
const toFile = ({ anyOf: _, ...property }: BodySchema): BodySchema => ({ ...property, ...FILE })

type Json = { [key: string]: unknown }

/** Unicode classes and lookaround are unsupported by the regular expressions of other languages. */
const NOT_PORTABLE = /\\p\{|\(\?<?[=!]/

/** Returns a schema for clients in any language. Except for omitted patterns, it allows no more than the original schema. */
export function toPortableSchema(schema: Json): Json {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'pattern' && typeof value === 'string' && NOT_PORTABLE.test(value)) return []
    if (key === 'x-allowed') return [[key, inLanguage(value as Text, 'en')]]
    return key === 'enum' && Array.isArray(value) ? Object.entries(toPortableEnum(value)) : [[key, value]]
  })
  return Object.fromEntries(entries)
}

function toPortableEnum(values: readonly unknown[]): Json {
  if (values.includes(true)) return values.includes(false) ? { type: 'boolean' } : { type: 'boolean', const: true }
  const spelling = (value: unknown) => String(value).toLowerCase()
  const isFirst = (value: unknown, n: number) => values.findIndex((other) => spelling(other) === spelling(value)) === n
  return { enum: values.filter((value, n) => value !== '' && isFirst(value, n)) }
}
