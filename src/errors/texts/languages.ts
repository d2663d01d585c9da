/** Languages that the service writes to people in: error texts and mails. */
export const languages = ['en', 'es', 'fr'] as const
export type Language = (typeof languages)[number]

/** The language of a locale (BCP 47): 'es-MX' is Spanish, and whatever we do not write in is English. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/)
  return languages.find((language) => language === primary) ?? 'en'
}
