import type { Category } from './categories.ts'
import { weighted, type Chance } from './chance.ts'
import { phrases } from './phrases/index.ts'
import { spanish, thanksInSpanish } from './phrases/spanish.ts'
import type { Spot } from './spots.ts'

const BRACES = /\{(\d+)-(\d+)\}|\{(street|cross|hood|near|park)\}/g

/** Chooses a text that fits the spot and fills its names and numbers in. */
export function sayAbout(chance: Chance, spot: Spot, texts: readonly string[]): string {
  const fitting = spot.cross === undefined ? texts.filter((text) => !text.includes('{cross}')) : texts
  const text = chance
    .among(fitting)
    .replace(BRACES, (_, low: string | undefined, high: string, name: keyof Spot) =>
      low === undefined ? String(spot[name]) : String(chance.whole(Number(low), Number(high))),
    )
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface Report {
  readonly summary: string
  readonly description: string | null
  readonly locale: 'en' | 'es'
  /** Comments of the city when it is done. */
  readonly fixed: readonly string[]
}

const SPANISH = 0.04
const NO_DESCRIPTION = 0.12

/** Returns the texts of a report. */
export function writeReport(chance: Chance, spot: Spot, category: Category): Report {
  const inSpanish = spanish[category]
  if (inSpanish && chance.yes(SPANISH)) {
    return {
      summary: sayAbout(chance, spot, inSpanish.summaries),
      description: chance.yes(NO_DESCRIPTION) ? null : sayAbout(chance, spot, inSpanish.descriptions),
      locale: 'es',
      fixed: thanksInSpanish,
    }
  }
  // A scene with many summaries is a common one.
  const scene = weighted(phrases[category].scenes, ({ summaries }) => summaries.length)(chance)
  const { summaries, seen, matters, asked, fixed } = scene
  const summary = asTyped(chance, sayAbout(chance, spot, summaries))
  if (chance.yes(NO_DESCRIPTION)) return { summary, description: null, locale: 'en', fixed }
  const parts = chance.among([[seen], [seen, matters], [seen, asked], [matters, asked], [seen, matters, asked]])
  return { summary, description: parts.map((part) => sayAbout(chance, spot, part)).join(' '), locale: 'en', fixed }
}

/** Writes some texts in lower case, in capitals or with exclamation marks, as careless people do. */
function asTyped(chance: Chance, text: string): string {
  const mood = chance.next()
  if (mood < 0.06) return text.toLowerCase()
  if (mood < 0.08) return `${text}!!`
  if (mood < 0.09) return text.toUpperCase()
  return text
}
