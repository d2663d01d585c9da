import { readTimestamp } from '../../http/schema/fields.ts'

/** Every method returns null for a missing, blank or invalid value. */
export class FieldReader {
  readonly errors: string[] = []
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** @param max in Unicode code points */
  text(name: string, max: number): string | null {
    const value = this.#value(name)
    if (value === null) return null
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return this.#addError(`${name} must be a string`)
    const text = String(value)
    if (isLonger(text, max)) return this.#addError(`${name} must be at most ${max} characters long`)
    if (text.includes('\0')) return this.#addError(`${name} must not contain the character U+0000`)
    if (!text.isWellFormed()) return this.#addError(`${name} must be valid Unicode: it contains half of a surrogate pair`)
    return text
  }

  integer(name: string, min: number, max: number): number | null {
    const value = this.#value(name)
    if (value === null) return null
    const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value
    return Number.isInteger(number) && (number as number) >= min && (number as number) <= max
      ? (number as number)
      : this.#addError(`${name} must be an integer from ${min} to ${max}`)
  }

  degrees(name: string, max: number): number | null {
    const value = this.#value(name)
    if (value === null) return null
    const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value
    return typeof number === 'number' && Math.abs(number) <= max
      ? number
      : this.#addError(`${name} must be a number from -${max} to ${max}`)
  }

  /** Returns ISO 8601 in UTC with milliseconds. A timestamp without an offset is in UTC. */
  timestamp(name: string): string | null {
    const value = this.#value(name)
    if (value === null) return null
    const iso = typeof value === 'string' ? toIso(value.trim()) : undefined
    return iso ?? this.#addError(`${name} must be an ISO 8601 timestamp such as 2018-07-08T21:34:26Z`)
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null {
    const value = this.#value(name)
    if (value === null) return null
    const chosen = choices.find((choice) => choice === value)
    return chosen ?? this.#addError(`${name} must be one of ${choices.join(', ')}`)
  }

  url(name: string, max: number): string | null {
    const text = this.text(name, max)
    if (text === null) return null
    const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
    return isWeb ? text : this.#addError(`${name} must be an http or https URL`)
  }

  require(...names: string[]): void {
    for (const name of names) if (this.#value(name) === null) this.#addError(`${name} is missing`)
  }

  #value(name: string): unknown {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : null
    return value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value
  }

  #addError(message: string): null {
    this.errors.push(message)
    return null
  }
}

/** A code point has one or two UTF-16 units. */
const isLonger = (text: string, max: number): boolean => text.length > max && (text.length > 2 * max || [...text].length > max)

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

function toIso(text: string): string | undefined {
  const timestamp = readTimestamp(text)
  if (timestamp === undefined) return undefined
  const date = new Date(timestamp)
  // ISO 8601 and PostgreSQL differ in years outside of 1 to 9999.
  const isInRange = date.getTime() >= EARLIEST && date.getTime() <= LATEST
  return isInRange ? date.toISOString() : undefined
}

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
