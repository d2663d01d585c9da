import { text, type Text } from '../../locales/texts.ts'
import { FilterError } from './ast.ts'

interface Token {
  readonly kind: 'name' | 'quotedName' | 'text' | 'number' | 'symbol' | 'end'
  /** The value without quotes. */
  readonly value: string
  /** The first character, from 1. */
  readonly at: number
}

const TOKEN =
  /\s*(?:(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_:][\p{L}\p{N}_:.]*)|"(?<quotedName>[^"]+)"|'(?<text>(?:[^'\\]|''|\\'|\\)*)'|(?<symbol><>|<=|>=|[=<>(),+*/^%-]))/uy
const SPACE = /\s*/y

/** Returns the tokens of CQL2 text with an end token. Characters are counted as UTF-16 code units. @throws FilterError */
function tokenize(filter: string): readonly Token[] {
  const tokens: Token[] = []
  let position = 0
  while (true) {
    SPACE.lastIndex = position
    position += SPACE.exec(filter)?.[0].length ?? 0
    if (position >= filter.length) return [...tokens, { kind: 'end', value: '', at: filter.length + 1 }]
    TOKEN.lastIndex = position
    const match = TOKEN.exec(filter)
    const [kind, value] = Object.entries(match?.groups ?? {}).find(([, group]) => group !== undefined) ?? []
    if (!match || kind === undefined || value === undefined) {
      const found = filter.slice(position, position + 1).toWellFormed()
      throw new FilterError(text('expected_found', { expected: text('filter_value'), found }), position + 1)
    }
    const unquoted = kind === 'text' ? value.replace(/''|\\'/g, "'") : value
    tokens.push({ kind: kind as Token['kind'], value: unquoted, at: position + 1 })
    position += match[0].length
  }
}

const END: Token = { kind: 'end', value: '', at: 1 }
const ARITHMETIC = /^(?:[+*/^%-]|div)$/i

/** A position in the tokens of a filter. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(filter: string) {
    this.#tokens = tokenize(filter)
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] ?? END
  }

  take(): Token {
    const token = this.peek()
    this.#next++
    return token
  }

  /** Takes a keyword, written in any case, or a symbol if it comes next. */
  takeIf(word: string): boolean {
    if (!this.isNext(word)) return false
    this.#next++
    return true
  }

  isNext(word: string, ahead = 0): boolean {
    const { kind, value } = this.peek(ahead)
    return (kind === 'symbol' || kind === 'name') && value.toUpperCase() === word
  }

  require(word: string): Token {
    const token = this.peek()
    if (!this.takeIf(word)) throw this.unexpected(word)
    return token
  }

  unexpected(expected: Text | string): FilterError {
    const { kind, value, at } = this.peek()
    const isOperator = (kind === 'symbol' || kind === 'name') && ARITHMETIC.test(value)
    if (isOperator || this.#isSignAfterValue()) return new FilterError(text('arithmetic_unsupported'), at)
    return new FilterError(text('expected_found', { expected, found: kind === 'end' ? text('filter_end') : value }), at)
  }

  /** The sign of a number that follows a value is an operator, as in `a -1`. */
  #isSignAfterValue(): boolean {
    const previous = this.#tokens[this.#next - 1]
    const isAfterValue = previous !== undefined && (previous.kind !== 'symbol' || previous.value === ')')
    return isAfterValue && this.peek().kind === 'number' && /^[+-]/.test(this.peek().value)
  }
}
