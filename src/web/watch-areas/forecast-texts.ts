import type { Language } from '../../errors/texts/languages.ts'

export interface ForecastTexts {
  /** ICU messages. `reports` and `updates` are numbers a week. */
  readonly events: string
  readonly dailyContents: string
  readonly weeklyContents: string
  readonly tooSlow: string
}

export const forecastTexts: Readonly<Record<Language, ForecastTexts>> = {
  en: {
    events:
      'About {reports, plural, one {# report} other {# reports}} and {updates, plural, one {# update} other {# updates}} a week were made here.',
    dailyContents: 'A daily mail would have held {low, number} to {high, number} of them.',
    weeklyContents: 'A weekly mail would have held {low, number} to {high, number} of them.',
    tooSlow: 'The forecast takes too long for this area. You can watch it all the same.',
  },
  es: {
    events:
      'Aquí se hicieron a la semana unos {reports, plural, one {# reporte} other {# reportes}} y {updates, plural, one {# actualización} other {# actualizaciones}}.',
    dailyContents: 'Un correo diario habría contenido de {low, number} a {high, number}.',
    weeklyContents: 'Un correo semanal habría contenido de {low, number} a {high, number}.',
    tooSlow: 'El pronóstico tarda demasiado para esta zona. Puedes vigilarla de todos modos.',
  },
  fr: {
    events:
      'Ici, il y a eu par semaine environ {reports, plural, one {# signalement} other {# signalements}} et {updates, plural, one {# mise à jour} other {# mises à jour}}.',
    dailyContents: 'Un courriel quotidien en aurait contenu de {low, number} à {high, number}.',
    weeklyContents: 'Un courriel hebdomadaire en aurait contenu de {low, number} à {high, number}.',
    tooSlow: 'La prévision prend trop de temps pour cette zone. Vous pouvez la surveiller quand même.',
  },
}
