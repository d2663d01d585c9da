/** Languages of error texts and mails. */
export const languages = ['en', 'es', 'fr'] as const
/** The name of each language in itself. */
export const languageNames = { en: 'English', es: 'Español', fr: 'Français' } as const satisfies Record<Language, string>
export type Language = (typeof languages)[number]

/** Returns the language of a locale (BCP 47): 'es-MX' is Spanish, and unsupported languages are English. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/)
  return languages.find((language) => language === primary) ?? 'en'
}
