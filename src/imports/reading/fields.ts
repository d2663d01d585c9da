import { readTimestamp } from '../../http/schema/timestamps.ts'

/**
 * Reads the values of one row, as text (CSV) or as JSON, and collects everything that is wrong with them. A blank value counts as
 * missing; where a value is missing or wrong, null is given.
 */
export class Fields {
  readonly faults: string[] = []
  readonly #values: Readonly<Record<string, unknown>>
  readonly #path: string

  /** @param path stands before the name in every fault, such as `organizations[0].` */
  constructor(values: Readonly<Record<string, unknown>>, path = '') {
    this.#values = values
    this.#path = path
  }

  /** `max` in characters: one outside the Basic Multilingual Plane, such as an emoji, is one. */
  text(name: string, max: number): string | null {
    const value = this.#given(name)
    if (value === null) return null
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return this.#refuse(`${name} must be a text`)
    const text = String(value)
    if (isLonger(text, max)) return this.#refuse(`${name} must be at most ${max} characters long`)
    if (text.includes('\0')) return this.#refuse(`${name} must not contain the character U+0000`)
    if (!text.isWellFormed()) return this.#refuse(`${name} must be Unicode text: it contains half a character`)
    return text
  }

  integer(name: string, min: number, max: number): number | null {
    const value = this.#given(name)
    if (value === null) return null
    const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value
    return Number.isInteger(number) && (number as number) >= min && (number as number) <= max
      ? (number as number)
      : this.#refuse(`${name} must be an integer from ${min} to ${max}`)
  }

  /** The value is in degrees, from -`max` to `max`. */
  degrees(name: string, max: number): number | null {
    const value = this.#given(name)
    if (value === null) return null
    const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value
    return typeof number === 'number' && Math.abs(number) <= max
      ? number
      : this.#refuse(`${name} must be a number from -${max} to ${max}`)
  }

  /** ISO 8601; without an offset it is UTC. Gives it in UTC with milliseconds. */
  stamp(name: string): string | null {
    const value = this.#given(name)
    if (value === null) return null
    const iso = typeof value === 'string' ? toIso(value.trim()) : undefined
    return iso ?? this.#refuse(`${name} must be an ISO 8601 timestamp such as 2018-07-08T21:34:26Z`)
  }

  /** Returns a JSON boolean; null if it is missing. */
  boolean(name: string): boolean | null {
    const value = this.#given(name)
    return value === null || typeof value === 'boolean' ? value : this.#refuse(`${name} must be true or false`)
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null {
    const value = this.#given(name)
    if (value === null) return null
    const chosen = choices.find((choice) => choice === value)
    return chosen ?? this.#refuse(`${name} must be one of ${choices.join(', ')}`)
  }

  webAddress(name: string, max: number): string | null {
    const text = this.text(name, max)
    if (text === null) return null
    const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
    return isWeb ? text : this.#refuse(`${name} must be an http or https address`)
  }

  /** Notes that a value is missing, unless it is there and was refused already. */
  require(...names: string[]): void {
    for (const name of names) if (this.#given(name) === null) this.#refuse(`${name} is missing`)
  }

  #given(name: string): unknown {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : null
    return value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value
  }

  #refuse(fault: string): null {
    this.faults.push(`${this.#path}${fault}`)
    return null
  }
}

/** A character has one or two UTF-16 units, so only a text between the two bounds has to be counted. */
const isLonger = (text: string, max: number): boolean => text.length > max && (text.length > 2 * max || [...text].length > max)

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

function toIso(text: string): string | undefined {
  const moment = readTimestamp(text)
  if (moment === undefined) return undefined
  const date = new Date(moment)
  // An offset may lead out of the years 1 to 9999, which ISO 8601 and PostgreSQL then write differently.
  const isInRange = date.getTime() >= EARLIEST && date.getTime() <= LATEST
  return isInRange ? date.toISOString() : undefined
}

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
