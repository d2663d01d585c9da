import { formatMessage } from '../../errors/texts/in-language.ts'
import type { Language } from '../../errors/texts/languages.ts'
import type { Choice } from '../../html/fields.ts'
import { formatNumber } from '../../html/format.ts'
import type { MailForecast } from '../../watch-areas/forecast-schema.ts'
import { watchTexts } from './watch-texts.ts'

export const toChoices = (names: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(names).map(([key, name]) => ({ key, name }))

export function describeForecast(forecast: MailForecast, language: Language): string {
  const { mails_per_week, frequency, based_on } = forecast
  const { expected, low, high } = mails_per_week
  const texts = watchTexts[language]
  if (frequency === 'never') return texts.noMails
  const [from, to] = [formatNumber(low, language), formatNumber(high, language)]
  const range = low === high ? texts.sameRange(from) : texts.range(from, to)
  const { days } = based_on
  // The average exceeds the usual range if many issues are reported on few days.
  return expected > high
    ? formatMessage(texts.forecastOfBursts, { range: capitalize(range), expected, days }, language)
    : formatMessage(texts.forecast, { range, expected, days }, language)
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
