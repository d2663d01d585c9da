import { text } from '../../locales/texts.ts'
import { FilterError } from './error.ts'

export interface Token {
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
export function tokenize(filter: string): readonly Token[] {
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
