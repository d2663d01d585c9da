import { plainText } from '../content-policy/plain-text.ts'
import type { Span } from '../content-policy/words.ts'

/** A name continues beyond these words ("Rue de la Pute"). */
const stopWords = new Set(
  [
    'a an and at by for from in into is it near next of off on or our over the this that to under up was with you your',
    'al con da das de del der des di do du e el en et i la las le les los o por sur un una une und vom von y zu zum zur',
  ].flatMap((line) => line.split(' ')),
)

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu
const WITHIN_A_NAME = /^[\s\u2010-\u2015-]+$/

interface Word extends Span {
  readonly word: string
}

const splitWords = (text: string): Word[] =>
  [...text.matchAll(WORD)].map((match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }))

const isDistinctive = ({ word }: Word) => word.length > 1 && !/^\p{N}/u.test(word) && !stopWords.has(word)

export interface Names {
  readonly parts: readonly string[]
}

export function splitNames(texts: readonly string[]): Names {
  const parts = texts.flatMap((text) => plainText(text).split(/[,;()\n]/))
  return { parts: [...new Set(parts.map((part) => joinWords(splitWords(part))))] }
}

const joinWords = (words: readonly Word[]) => ` ${words.map(({ word }) => word).join(' ')} `

/**
 * Returns the span with the next distinctive word before or after it, if a nearby address or place name contains both.
 * @param text from `plainText`
 */
export function findEnclosingName(text: string, span: Span, { parts }: Names, isAddress = false): string | undefined {
  const words = splitWords(text)
  const first = words.findIndex(({ end }) => end > span.start)
  const last = words.findLastIndex(({ start }) => start < span.end)
  if (first === -1 || last < first) return undefined
  const candidates = [extendToNextWord(text, words, first, last, -1), extendToNextWord(text, words, first, last, 1)]
  const match = candidates.find((row) => row && parts.some((part) => part.includes(joinWords(row))))
  if (match) return joinWords(match).trim()
  const alone = joinWords(words.slice(first, last + 1))
  return isAddress && parts.some((part) => part.replaceAll(/ (?=\p{N})\S+(?= )/gu, '') === alone) ? alone.trim() : undefined
}

/** Returns undefined if the name ends before the next distinctive word. */
function extendToNextWord(text: string, words: readonly Word[], first: number, last: number, step: -1 | 1): Word[] | undefined {
  for (let [from, to] = [first, last]; ;) {
    const [left, right] = step === -1 ? [words[from - 1], words[from]] : [words[to], words[to + 1]]
    if (!left || !right || !WITHIN_A_NAME.test(text.slice(left.end, right.start))) return undefined
    if (step === -1) from -= 1
    else to += 1
    if (isDistinctive(step === -1 ? left : right)) return words.slice(from, to + 1)
  }
}
