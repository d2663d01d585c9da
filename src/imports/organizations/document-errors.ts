import type { FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from 'typebox'

import { problems } from '../../errors/problems.ts'
import { schemaCompilers } from '../../http/validation/compilers.ts'
import { invalidCharacterError } from '../../http/validation/validation.ts'
import { inLanguage, languages, text, type Language } from '../../locales/texts.ts'
import type { Translations } from '../../locales/translations.ts'
import { ImportFailed, isObject } from '../reading/source-row.ts'

const SHOWN_MAX = 100
const IGNORED_MAX = 50
/** Keys of choices are compared byte for byte, so they are not trimmed. Codes and positions stay as they are. */
const UNCHANGED = ['area', 'select_values', 'service_codes']

/** Collects the errors of a document by their paths, such as `organizations[0].name`. */
export class DocumentErrors {
  readonly #errors: { readonly path: string; readonly reason: string }[] = []
  /** Unknown keys, such as `organizations[].colour`. */
  readonly ignored = new Set<string>()

  add(path: string, reason: string): void {
    this.#errors.push({ path, reason })
  }

  /** Trims texts, and drops blank and null values. Returns undefined after an error. */
  validate<Schema extends TSchema>(schema: Schema, input: unknown, path = ''): Static<Schema> | undefined {
    const before = this.#errors.length
    const value = this.#clean(input, path)
    const validate = schemaCompilers.validator({ schema, httpPart: 'body', method: 'PUT', url: path })
    const { error = [] } = validate(value) as unknown as { error?: FastifySchemaValidationError[] }
    for (const violation of error) this.#addViolation(violation, path)
    return this.#errors.length > before ? undefined : (value as Static<Schema>)
  }

  #clean(value: unknown, path: string, key = ''): unknown {
    const error = invalidCharacterError(UNCHANGED.includes(key) || typeof value === 'string' ? value : null)
    if (error) this.add(path, inLanguage(error, 'en'))
    if (UNCHANGED.includes(key)) return value
    if (typeof value === 'string') return value.trim() || undefined
    if (Array.isArray(value)) return value.map((one: unknown, index) => this.#clean(one, `${path}[${index}]`))
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([name, one]) => [name, this.#clean(one, path ? `${path}.${name}` : name, name)])
    return Object.fromEntries(entries.filter(([, one]) => one !== undefined && one !== null)) as unknown
  }

  #addViolation({ instancePath, keyword, params, message = '' }: FastifySchemaValidationError, root: string): void {
    const { missingProperty, additionalProperty, allowedValues, type, limit } = params as Record<string, string>
    const own = missingProperty ?? additionalProperty
    const parts = [...instancePath.split('/').slice(1), ...(own === undefined ? [] : [own])]
    const path = parts.reduce((all, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      return /^\d+$/.test(name) ? `${all}[${name}]` : all ? `${all}.${name}` : name
    }, root)
    if (keyword === 'additionalProperties' && !path.includes('.translations.')) {
      if (this.ignored.size < IGNORED_MAX) this.ignored.add(path.replaceAll(/\[\d+\]/g, '[]'))
      return
    }
    const reasons: Readonly<Record<string, string>> = {
      required: 'is missing',
      enum: `must be one of ${String(allowedValues).replaceAll(',', ', ')}`,
      type: `must be ${types[String(type)] ?? `one of ${String(type)}`}`,
      format: 'must be an e-mail address',
      pattern: 'must not be blank',
      minimum: `must be at least ${limit}`,
      maximum: `must be at most ${limit}`,
      maxLength: `must be at most ${limit} characters long`,
      maxItems: `must have at most ${limit} entries`,
      additionalProperties: path.endsWith(`.translations.${own}`)
        ? `is an unknown language: it must be one of ${languages.join(', ')}`
        : 'is an unknown key',
    }
    this.add(path || 'The file', reasons[keyword] ?? message)
  }

  /** A text has one language, which its translations leave out. */
  refuseOwnLanguage(translations: Translations<unknown> | undefined, own: Language, path: string): void {
    if (translations?.[own] !== undefined)
      this.add(`${path}.translations.${own}`, 'is the language of the text itself: translations are in other languages')
  }

  /** Names are equal in any letter case. */
  rejectDuplicates(names: readonly { readonly path: string; readonly name: string }[], what: string): void {
    const firstPaths = new Map<string, string>()
    for (const { path, name } of names) {
      const key = name.toLowerCase()
      const firstPath = firstPaths.get(key)
      if (firstPath === undefined) firstPaths.set(key, path)
      else this.add(path, `is the same ${what} as ${firstPath}`)
    }
  }

  /**
   * @param prefix is left out of paths
   * @throws Problem 422 with the errors by their paths, if there are any. All service codes have one path, because titles contain spaces
   */
  throwProblem(prefix = ''): void {
    if (this.#errors.length === 0) return
    const entries = this.#errors.map(({ path, reason }) => {
      const [, codes = path.replace(prefix, ''), title] = /^(forwarding\.service_codes)\.(.*)$/s.exec(path) ?? []
      return [codes, text('document_error', { reason: title === undefined ? reason : `${title} ${reason}` })] as const
    })
    throw problems.invalid(Object.fromEntries(entries))
  }

  /** @throws ImportFailed with one line per error, if there are any */
  throwIfInvalid(file: string): void {
    if (this.#errors.length === 0) return
    const shown = this.#errors.slice(0, SHOWN_MAX).map(({ path, reason }) => `  ${path} ${reason}`)
    const more = this.#errors.length > SHOWN_MAX ? [`  … and ${this.#errors.length - SHOWN_MAX} more`] : []
    throw new ImportFailed([`Nothing was changed, because ${file} has errors:`, ...shown, ...more].join('\n'))
  }
}

const types: Readonly<Record<string, string>> = {
  ...{ object: 'an object', array: 'a list', string: 'a text', boolean: 'true or false', integer: 'an integer' },
  ...{ 'string,boolean': 'an e-mail address, or false for none', 'object,boolean': 'an object, or false for none' },
  'string,object': 'a text, or an object with key and name',
}
