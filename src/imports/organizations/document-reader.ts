import { problems } from '../../errors/problems.ts'
import { text, type Language, languages } from '../../locales/texts.ts'
import { FieldReader } from '../reading/field-reader.ts'
import { isObject, ImportFailed } from '../reading/source-row.ts'
import type { Translations } from '../../locales/translations.ts'

const SHOWN_MAX = 100
const IGNORED_MAX = 50

export class DocumentReader {
  readonly #errors: string[] = []
  readonly #ignored = new Set<string>()

  addError(path: string, message: string): void {
    this.#errors.push(`${path} ${message}`)
  }

  /** Returns undefined and adds an error for any other value. The path '' is the whole file. */
  object(value: unknown, path: string, known: readonly string[]): Record<string, unknown> | undefined {
    if (!isObject(value)) {
      this.addError(path === '' ? 'The file' : path, 'must be an object')
      return undefined
    }
    for (const key of Object.keys(value)) if (!known.includes(key)) this.#ignore(path === '' ? key : `${path}.${key}`)
    return value
  }

  /** Returns null for a missing list, and an empty one with an error for an invalid or too long one. */
  list(value: unknown, path: string, max: number): readonly unknown[] | null {
    if (value === undefined || value === null) return null
    if (!Array.isArray(value)) this.addError(path, 'must be a list')
    else if (value.length > max) this.addError(path, `must have at most ${max} entries, but has ${value.length}`)
    else return value as unknown[]
    return []
  }

  fields<Result>(values: Readonly<Record<string, unknown>>, path: string, read: (fields: FieldReader) => Result): Result {
    const fields = new FieldReader(values, `${path}.`)
    const result = read(fields)
    this.#errors.push(...fields.errors)
    return result
  }

  /** Names are equal in any letter case. */
  rejectDuplicates(names: readonly { readonly path: string; readonly name: string | null }[], what: string): void {
    const firstPaths = new Map<string, string>()
    for (const { path, name } of names) {
      const key = name?.toLowerCase()
      if (key === undefined) continue
      const firstPath = firstPaths.get(key)
      if (firstPath === undefined) firstPaths.set(key, path)
      else this.addError(path, `is the same ${what} as ${firstPath}`)
    }
  }

  /**
   * @param prefix is left out of paths
   * @throws Problem 422 with the errors by their paths, if there are any. All service codes have one path, because titles contain spaces
   */
  throwProblem(prefix = ''): void {
    if (this.#errors.length === 0) return
    const entries = this.#errors.map((line) => {
      const [, path = '', reason = ''] = /^(forwarding\.service_codes(?=[. ])|\S+)[. ](.*)$/s.exec(line.replace(prefix, '')) ?? []
      return [path, text('document_error', { reason })] as const
    })
    throw problems.invalid(Object.fromEntries(entries))
  }

  ignoredKeys(): string[] {
    return [...this.#ignored]
  }

  /** @throws ImportFailed with one line per error, if there are any */
  throwIfInvalid(file: string): void {
    if (this.#errors.length === 0) return
    const shown = this.#errors.slice(0, SHOWN_MAX).map((error) => `  ${error}`)
    const more = this.#errors.length > SHOWN_MAX ? [`  … and ${this.#errors.length - SHOWN_MAX} more`] : []
    throw new ImportFailed([`Nothing was changed, because ${file} has errors:`, ...shown, ...more].join('\n'))
  }

  #ignore(path: string): void {
    if (this.#ignored.size < IGNORED_MAX) this.#ignored.add(path.replaceAll(/\[\d+\]/g, '[]'))
  }
}

/** Returns null for a missing or unknown language. */
export function readLanguage(value: unknown, path: string, reader: DocumentReader): Language | null {
  const language = languages.find((one) => one === value)
  if (language === undefined && value !== undefined && value !== null)
    reader.addError(path, `must be one of ${languages.join(', ')}`)
  return language ?? null
}

/**
 * Reads texts in other languages than their own. Unknown languages and keys are errors, because a misspelt one would hide a translation.
 * @param keys all that one language may have
 * @param read returns the texts of one language; null after an error
 * @returns null if the file has none
 */
export function readTranslations<Fields>(
  value: unknown,
  path: string,
  { own, keys, reader }: { readonly own: Language; readonly keys: readonly string[]; readonly reader: DocumentReader },
  read: (input: Readonly<Record<string, unknown>>, path: string) => Fields | null,
): Translations<Fields> | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) {
    reader.addError(path, 'must be an object of languages')
    return null
  }
  const others = languages.filter((language) => language !== own)
  const entries = Object.entries(value).flatMap(([name, texts]): [Language, Fields][] => {
    const textsPath = `${path}.${name}`
    const language = others.find((other) => other === name)
    if (language === undefined) {
      const known = `must be one of ${others.join(', ')}`
      reader.addError(
        textsPath,
        name === own ? `is the language of the text itself: it ${known}` : `is an unknown language: it ${known}`,
      )
      return []
    }
    if (!isObject(texts)) {
      reader.addError(textsPath, `must be an object with ${keys.join(' and ')}`)
      return []
    }
    for (const key of Object.keys(texts))
      if (!keys.includes(key))
        reader.addError(`${textsPath}.${key}`, `is an unknown key: only ${keys.join(' and ')} can be translated`)
    const fields = read(texts, textsPath)
    return fields === null ? [] : [[language, fields]]
  })
  return Object.fromEntries(entries) as Translations<Fields>
}

/** Reads translations of a single text. */
export function readTranslatedText<Key extends string>(
  value: unknown,
  path: string,
  { own, key, max, reader }: { readonly own: Language; readonly key: Key; readonly max: number; readonly reader: DocumentReader },
): Translations<Readonly<Record<Key, string>>> | null {
  return readTranslations(value, path, { own, keys: [key], reader }, (input, textsPath) => {
    const text = readText(input, textsPath, { key, max, reader })
    return text === null ? null : ({ [key]: text } as Record<Key, string>)
  })
}

export const readText = (
  input: Readonly<Record<string, unknown>>,
  path: string,
  { key, max, reader }: { readonly key: string; readonly max: number; readonly reader: DocumentReader },
): string | null =>
  reader.fields(input, path, (fields) => {
    fields.require(key)
    return fields.text(key, max)?.trim() ?? null
  })
