import type { Texts } from '../../locales/texts.ts'
import type { Choice } from '../../html/fields.ts'
import { formatNumber } from '../../html/format.ts'
import type { DetailedForecast, MailForecast } from '../../watch-areas/forecast-mails.ts'

const WEEK_DAYS = 7

export const toChoices = (names: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(names).map(([key, name]) => ({ key, name }))

/** Says what happened in an area, what the mails would have held, and how many mails to expect. */
export function describeForecast({ mails, contents }: DetailedForecast, texts: Texts): string {
  const { frequency, based_on } = mails
  const perWeek = (count: number) => Math.round((count * WEEK_DAYS) / based_on.days)
  const events = { reports: perWeek(based_on.new_issues), updates: perWeek(based_on.updates) }
  const sentences = [
    texts('forecast.events', events),
    contents && contents.high > 0
      ? texts(frequency === 'daily' ? 'forecast.dailyContents' : 'forecast.weeklyContents', { ...contents })
      : '',
    describeMails(mails, texts),
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

function describeMails({ mails_per_week, frequency, based_on }: MailForecast, texts: Texts): string {
  const { expected, low, high } = mails_per_week
  if (frequency === 'never') return texts('watch.noMails')
  const [from, to] = [formatNumber(low, texts.language), formatNumber(high, texts.language)]
  const range = low === high ? texts('watch.sameRange', { count: from }) : texts('watch.range', { low: from, high: to })
  const { days } = based_on
  // The average exceeds the usual range if many issues are reported on few days.
  return expected > high
    ? texts('watch.forecastOfBursts', { range: capitalize(range), expected, days })
    : texts('watch.forecast', { range, expected, days })
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
