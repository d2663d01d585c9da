import type { Category } from './categories.ts'
import { weightedPicker, type Random } from './random.ts'
import { phrases } from './phrases/phrases.ts'
import { spanishPhrases, spanishClosingComments } from './phrases/phrases.ts'
import type { Spot } from './spots.ts'

const BRACES = /\{(\d+)-(\d+)\}|\{(street|cross|hood|near|park)\}/g

export function fillTemplate(random: Random, spot: Spot, texts: readonly string[]): string {
  const fitting = spot.cross === undefined ? texts.filter((text) => !text.includes('{cross}')) : texts
  const text = random
    .pick(fitting)
    .replace(BRACES, (_, low: string | undefined, high: string, name: keyof Spot) =>
      low === undefined ? String(spot[name]) : String(random.integer(Number(low), Number(high))),
    )
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface Report {
  readonly summary: string
  readonly description: string | null
  readonly locale: 'en' | 'es'
  readonly closingComments: readonly string[]
}

const SPANISH_PROBABILITY = 0.04
const NO_DESCRIPTION_PROBABILITY = 0.12

export function writeReport(random: Random, spot: Spot, category: Category): Report {
  const inSpanish = spanishPhrases[category]
  if (inSpanish && random.chance(SPANISH_PROBABILITY)) {
    return {
      summary: fillTemplate(random, spot, inSpanish.summaries),
      description: random.chance(NO_DESCRIPTION_PROBABILITY) ? null : fillTemplate(random, spot, inSpanish.descriptions),
      locale: 'es',
      closingComments: spanishClosingComments,
    }
  }
  const scene = weightedPicker(phrases[category].scenes, ({ summaries }) => summaries.length)(random)
  const { summaries, observations: seen, reasons: matters, requests, closingComments: fixed } = scene
  const summary = varyTyping(random, fillTemplate(random, spot, summaries))
  if (random.chance(NO_DESCRIPTION_PROBABILITY)) return { summary, description: null, locale: 'en', closingComments: fixed }
  const parts = random.pick([[seen], [seen, matters], [seen, requests], [matters, requests], [seen, matters, requests]])
  return {
    summary,
    description: parts.map((part) => fillTemplate(random, spot, part)).join(' '),
    locale: 'en',
    closingComments: fixed,
  }
}

/** Changes some texts to lower case, capitals or exclamation marks, as in real reports. */
function varyTyping(random: Random, text: string): string {
  const roll = random.next()
  if (roll < 0.06) return text.toLowerCase()
  if (roll < 0.08) return `${text}!!`
  if (roll < 0.09) return text.toUpperCase()
  return text
}
