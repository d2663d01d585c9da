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
  const language = locale.split('-')[0]?.toLowerCase() ?? ALWAYS
  return filterFor(profaneWords.has(language) ? language : ALWAYS).exists(text)
}
