import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { FieldReader } from '../reading/field-reader.ts'
import { isObject, ImportFailed } from '../reading/source-row.ts'

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
