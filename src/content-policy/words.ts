import { Profanity, profaneWords } from '@2toad/profanity'

/**
 * The lists are made for chats: ordinary reports (dog dirt, cigarette butts, a hydrant flange, a Nazi sign on a wall) and names of
 * streets and shops use these words.
 */
const allowedWords = [
  ...['balls', 'bloody', 'bum', 'butt', 'butts', 'chink', 'coon', 'cox', 'crap', 'damn', 'dink', 'duche', 'dyke', 'fanny', 'feces'],
  ...['flange', 'hell', 'hoar', 'hoe', 'hoer', 'hoes', 'jap', 'kum', 'lust', 'muff', 'nazi', 'nob', 'nut', 'pawn', 'pipe', 'piss'],
  ...['pissing', 'poop', 'pube', 'screwing', 'semen', 'shag', 'snatch', 'spac', 'spunk', 'sunk', 'teets', 'tit', 'turd', 'willies'],
  ...['willy', 'cul', 'as$', 'a$s'],
]

/** Reports of every language are checked for English words. */
const DEFAULT_LANGUAGE = 'en'

const filters = new Map<string, Profanity>()

/** Most services meet two or three languages. */
function filterFor(language: string): Profanity {
  const cached = filters.get(language)
  if (cached) return cached
  const languages = profaneWords.has(language) ? [...new Set([DEFAULT_LANGUAGE, language])] : [DEFAULT_LANGUAGE]
  const filter = new Profanity({ languages, wholeWord: true, unicodeWordBoundaries: true })
  filter.removeWords(allowedWords)
  filters.set(language, filter)
  return filter
}

/** Checks whole words only. @param text from `plainText` @param locale a language tag (BCP 47) */
export function hasBlockedWords(text: string, locale: string): boolean {
  return filterForLocale(locale).exists(text)
}

/** Positions are UTF-16 units; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

const ENTRY_WORDS_MAX = 4

/**
 * The library only reports whether a text has blocked words, so each sequence is tested: use this outside of requests.
 * @param text from `plainText`
 * @param locale a language tag (BCP 47)
 */
export function findBlockedWords(text: string, locale: string): Span[] {
  const filter = filterForLocale(locale)
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

function filterForLocale(locale: string): Profanity {
  const language = locale.split('-')[0]?.toLowerCase() ?? DEFAULT_LANGUAGE
  return filterFor(profaneWords.has(language) ? language : DEFAULT_LANGUAGE)
}
