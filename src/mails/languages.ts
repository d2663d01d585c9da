/** Languages that mails are written in. */
export const languages = ['en', 'es', 'fr'] as const
export type Language = (typeof languages)[number]

/** The language of a locale (BCP 47): 'es-MX' is Spanish, and whatever mails are not written in is English. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/)
  return languages.find((language) => language === primary) ?? 'en'
}
