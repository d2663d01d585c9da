import { Profanity, profaneWords } from '@2toad/profanity'

/**
 * The lists are made for chats. What residents report in earnest (dirt of dogs, butts of cigarettes, a flange of a hydrant, a Nazi sign on
 * a wall), and names of streets and shops, are no reason to hold anything.
 */
const ordinary = [
  ...['balls', 'bloody', 'bum', 'butt', 'butts', 'chink', 'coon', 'cox', 'crap', 'damn', 'dink', 'duche', 'dyke', 'fanny', 'feces'],
  ...['flange', 'hell', 'hoar', 'hoe', 'hoer', 'hoes', 'jap', 'kum', 'lust', 'muff', 'nazi', 'nob', 'nut', 'pawn', 'pipe', 'piss'],
  ...['pissing', 'poop', 'pube', 'screwing', 'semen', 'shag', 'snatch', 'spac', 'spunk', 'sunk', 'teets', 'tit', 'turd', 'willies'],
  ...['willy', 'cul', 'as$', 'a$s'],
]

/** English is in reports of every language. */
const ALWAYS = 'en'

const filters = new Map<string, Profanity>()

/** Made when a language is first met: most services meet two or three. */
function filterFor(language: string): Profanity {
  const known = filters.get(language)
  if (known) return known
  const languages = profaneWords.has(language) ? [...new Set([ALWAYS, language])] : [ALWAYS]
  const filter = new Profanity({ languages, wholeWord: true, unicodeWordBoundaries: true })
  filter.removeWords(ordinary)
  filters.set(language, filter)
  return filter
}

/** Whether a text has a word of the lists of its language, as a word of its own. @param text from `plainText` @param locale a tag of BCP 47 */
export function hasBlockedWords(text: string, locale: string): boolean {
  return filterOf(locale).exists(text)
}

/** Where something stands in a text, in UTF-16 units; the end is behind it. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Words of the longest entry of the lists. */
const ENTRY_WORDS_MAX = 4

/**
 * Where the blocked words stand, as the shortest rows of written words that have one. The library says only whether there are any, so it is
 * asked of each row: this is for texts that are known to have some, where there is time.
 * @param text from `plainText` @param locale a tag of BCP 47
 */
export function findBlockedWords(text: string, locale: string): Span[] {
  const filter = filterOf(locale)
  const words = [...text.matchAll(/\S+/g)].map((word) => ({ start: word.index, end: word.index + word[0].length }))
  const found: Span[] = []
  for (let count = 1; count <= ENTRY_WORDS_MAX; count++) {
    words.forEach(({ start }, index) => {
      const end = words[index + count - 1]?.end
      if (end === undefined || found.some((span) => span.start >= start && span.end <= end)) return
      if (filter.exists(text.slice(start, end))) found.push({ start, end })
    })
  }
  return found
}

function filterOf(locale: string): Profanity {
  const language = locale.split('-')[0]?.toLowerCase() ?? ALWAYS
  return filterFor(profaneWords.has(language) ? language : ALWAYS)
}
