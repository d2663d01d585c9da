import { type Language, languages } from '../../locales/texts.ts'
import type { Translations } from '../../locales/translations.ts'
import { isObject } from '../reading/source-row.ts'
import type { DocumentReader } from './document-reader.ts'

/** Returns null for a missing or unknown language. */
export function readLanguage(value: unknown, path: string, reader: DocumentReader): Language | null {
  const language = languages.find((one) => one === value)
  if (language === undefined && value !== undefined && value !== null)
    reader.addError(path, `must be one of ${languages.join(', ')}`)
  return language ?? null
}

/**
 * Reads texts in other languages than their own. Unknown languages and keys are errors, because a misspelt one would hide a translation.
 * @param keys all that one language may have
 * @param read returns the texts of one language; null after an error
 * @returns null if the file has none
 */
export function readTranslations<Fields>(
  value: unknown,
  path: string,
  { own, keys, reader }: { readonly own: Language; readonly keys: readonly string[]; readonly reader: DocumentReader },
  read: (input: Readonly<Record<string, unknown>>, path: string) => Fields | null,
): Translations<Fields> | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) {
    reader.addError(path, 'must be an object of languages')
    return null
  }
  const others = languages.filter((language) => language !== own)
  const entries = Object.entries(value).flatMap(([name, texts]): [Language, Fields][] => {
    const textsPath = `${path}.${name}`
    const language = others.find((other) => other === name)
    if (language === undefined) {
      const known = `must be one of ${others.join(', ')}`
      reader.addError(
        textsPath,
        name === own ? `is the language of the text itself: it ${known}` : `is an unknown language: it ${known}`,
      )
      return []
    }
    if (!isObject(texts)) {
      reader.addError(textsPath, `must be an object with ${keys.join(' and ')}`)
      return []
    }
    for (const key of Object.keys(texts))
      if (!keys.includes(key))
        reader.addError(`${textsPath}.${key}`, `is an unknown key: only ${keys.join(' and ')} can be translated`)
    const fields = read(texts, textsPath)
    return fields === null ? [] : [[language, fields]]
  })
  return Object.fromEntries(entries) as Translations<Fields>
}

/** Reads translations of a single text. */
export function readTranslatedText<Key extends string>(
  value: unknown,
  path: string,
  { own, key, max, reader }: { readonly own: Language; readonly key: Key; readonly max: number; readonly reader: DocumentReader },
): Translations<Readonly<Record<Key, string>>> | null {
  return readTranslations(value, path, { own, keys: [key], reader }, (input, textsPath) => {
    const text = readText(input, textsPath, { key, max, reader })
    return text === null ? null : ({ [key]: text } as Record<Key, string>)
  })
}

export const readText = (
  input: Readonly<Record<string, unknown>>,
  path: string,
  { key, max, reader }: { readonly key: string; readonly max: number; readonly reader: DocumentReader },
): string | null =>
  reader.fields(input, path, (fields) => {
    fields.require(key)
    return fields.text(key, max)?.trim() ?? null
  })
