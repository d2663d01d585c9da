import { formatMessage } from '../../errors/texts/in-language.ts'
import type { Language } from '../../errors/texts/languages.ts'
import type { Choice } from '../../html/fields.ts'
import { formatNumber } from '../../html/format.ts'
import type { DetailedForecast } from '../../watch-areas/forecast-mails.ts'
import type { MailForecast } from '../../watch-areas/forecast-schema.ts'
import { forecastTexts } from './forecast-texts.ts'
import { watchTexts } from './watch-texts.ts'

const WEEK_DAYS = 7

export const toChoices = (names: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(names).map(([key, name]) => ({ key, name }))

/** Says what happened in an area, what the mails would have held, and how many mails to expect. */
export function describeForecast({ mails, contents }: DetailedForecast, language: Language): string {
  const { frequency, based_on } = mails
  const texts = forecastTexts[language]
  const perWeek = (count: number) => Math.round((count * WEEK_DAYS) / based_on.days)
  const events = { reports: perWeek(based_on.new_issues), updates: perWeek(based_on.updates) }
  const ofContents = frequency === 'daily' ? texts.dailyContents : texts.weeklyContents
  const sentences = [
    formatMessage(texts.events, events, language),
    contents && contents.high > 0 ? formatMessage(ofContents, { ...contents }, language) : '',
    describeMails(mails, language),
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

function describeMails({ mails_per_week, frequency, based_on }: MailForecast, language: Language): string {
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
