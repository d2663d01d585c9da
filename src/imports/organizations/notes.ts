import { Fields } from '../reading/fields.ts'
import { isObject, ImportFailed } from '../reading/source-row.ts'

const SHOWN_MAX = 100
const IGNORED_MAX = 50

/** Collects the validation errors of a file by path, and its unknown keys. */
export class Notes {
  readonly #faults: string[] = []
  readonly #ignored = new Set<string>()

  fault(path: string, text: string): void {
    this.#faults.push(`${path} ${text}`)
  }

  /** The object at a path, '' for the file itself; undefined, and a fault, where there is none. */
  object(value: unknown, path: string, known: readonly string[]): Record<string, unknown> | undefined {
    if (!isObject(value)) {
      this.fault(path === '' ? 'The file' : path, 'must be an object')
      return undefined
    }
    for (const key of Object.keys(value)) if (!known.includes(key)) this.#ignore(path === '' ? key : `${path}.${key}`)
    return value
  }

  /** Null where there is nothing; nothing but a fault where it is no list, or too long. */
  list(value: unknown, path: string, max: number): readonly unknown[] | null {
    if (value === undefined || value === null) return null
    if (!Array.isArray(value)) this.fault(path, 'must be a list')
    else if (value.length > max) this.fault(path, `must have at most ${max} entries, and has ${value.length}`)
    else return value as unknown[]
    return []
  }

  /** Reads single values of an object; what is wrong with them is noted. */
  fields<Read>(values: Readonly<Record<string, unknown>>, path: string, read: (fields: Fields) => Read): Read {
    const fields = new Fields(values, `${path}.`)
    const found = read(fields)
    this.#faults.push(...fields.faults)
    return found
  }

  /** Notes each name that stands twice in a list, where it does so again. */
  repeated(names: readonly { readonly path: string; readonly name: string | null }[], what: string): void {
    const first = new Map<string, string>()
    for (const { path, name } of names) {
      const key = name?.toLowerCase()
      if (key === undefined) continue
      const before = first.get(key)
      if (before === undefined) first.set(key, path)
      else this.fault(path, `is the same ${what} as ${before}`)
    }
  }

  ignoredKeys(): string[] {
    return [...this.#ignored]
  }

  /** @throws ImportFailed with all faults, a line for each, where there are any. */
  refuse(file: string): void {
    if (this.#faults.length === 0) return
    const shown = this.#faults.slice(0, SHOWN_MAX).map((fault) => `  ${fault}`)
    const more = this.#faults.length > SHOWN_MAX ? [`  … and ${this.#faults.length - SHOWN_MAX} more`] : []
    throw new ImportFailed([`Nothing was changed, since ${file} has faults:`, ...shown, ...more].join('\n'))
  }

  /** Records an unknown key once for all entries of a list. */
  #ignore(path: string): void {
    if (this.#ignored.size < IGNORED_MAX) this.#ignored.add(path.replaceAll(/\[\d+\]/g, '[]'))
  }
}
