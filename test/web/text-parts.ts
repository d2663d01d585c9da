/** Functions that find the fixed parts of the texts of pages, and those that a page contains. */

const GAP = '\u0000'

/** Stands for every argument of a text: another text, a number, or a function that makes a link. */
const gap: unknown = new Proxy(() => undefined, {
  apply: (_target, _self, [text]: unknown[]) => `${GAP}${String(text)}${GAP}`,
  get: (_target, key) => (key === Symbol.toPrimitive ? (hint: string) => (hint === 'number' ? 2 : GAP) : gap),
})

/** Parts of an ICU message that are no text. */
const ICU = /\{\w+, plural,|(?:=\d+|one|other)\s*\{|\{\w+(?:, number)?\}|[{}#]/

/** Returns the words between the arguments, numbers and tags of every text of an object. */
export function fixedParts(texts: unknown): string[] {
  if (typeof texts === 'string') return [...new Set(splitText(texts))]
  if (typeof texts === 'function') return fixedParts(String((texts as (...args: unknown[]) => unknown)(gap, gap, gap)))
  if (texts instanceof String) return fixedParts(String(texts))
  return typeof texts === 'object' && texts !== null ? Object.values(texts).flatMap(fixedParts) : []
}

const splitText = (text: string): string[] =>
  decode(text)
    .split(GAP)
    .flatMap((part) => part.split(/<[^>]*>/))
    .flatMap((part) => part.split(ICU))
    .map((part) => part.replace(/\s+/g, ' ').replace(/^[\s\p{P}\d]+|[\s\p{P}\d]+$/gu, ''))
    .filter((part) => /\p{L}{2}/u.test(part))

const escapes = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" } as const
const decode = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => escapes[found as keyof typeof escapes])

const ATTRIBUTES = /\s(?:aria-label|alt|title|placeholder|content)="([^"]*)"/g
/** Codes, marked English and the names of the languages are no texts of the page. */
const NOT_TRANSLATED = /<(code|pre|ul|p|span|button)\b[^>]*\slang="[a-z]+"[^>]*>[^]*?<\/\1>|<(code|pre|time)\b[^>]*>[^]*?<\/\2>/g

/** Returns the texts and the attributes that people read or hear. */
export function visibleParts(page: string): string[] {
  const shown = page.replace(NOT_TRANSLATED, '')
  const attributes = [...shown.matchAll(ATTRIBUTES)].map(([, value = '']) => value)
  return [...attributes, ...shown.split(/<[^>]*>/)].map((part) => decode(part).replace(/\s+/g, ' ').trim()).filter(Boolean)
}

/** Words in addresses, names of files and codes do not count. */
const hasPart = (text: string, part: string) => {
  const [before, after] = [String.raw`(?<![\p{L}\p{N}_.@/-])`, String.raw`(?![\p{L}\p{N}_@/-])`]
  return new RegExp(`${before}${part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}${after}`, 'u').test(text)
}

/** Returns a function that finds the texts of one language in a page of another. Words that both languages have do not count. */
export function createTextFinder(foreign: unknown, own: unknown) {
  const ownParts = fixedParts(own)
  const parts = [...new Set(fixedParts(foreign))].filter((part) => !ownParts.some((one) => hasPart(one, part)))
  return (page: string): string[] => {
    const shown = visibleParts(page)
    return parts.filter((part) => shown.some((text) => hasPart(text, part)))
  }
}
