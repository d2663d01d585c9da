import Type, { type Static } from 'typebox'

import { type Sql, sql, nullable, translations } from '../database/database.ts'
import { type Point, pointQueryString } from '../geo/shapes.ts'
import type { Language } from '../locales/texts.ts'
import type { QuestionTexts, RequestTypeQuestion } from './schema.ts'
import type { Urls } from '../http/request/urls.ts'
import { translate, type Translations } from '../locales/translations.ts'

export function relatedIssuesUrl(urls: Urls, type: number | 'other', point?: Point): string {
  return urls.api(`/issues?${point ? `${pointQueryString(point)}&request_types=${type}&sort=distance` : `request_types=${type}`}`)
}

/** Properties of a row with `typeTextColumns`. */
export const typeTexts = {
  title: Type.String(),
  language: Type.String(),
  translations: translations<{ readonly title: string }>(),
  organization: nullable(Type.String()),
  organization_language: nullable(Type.String()),
  organization_translations: translations<{ readonly name: string }>(),
}

const TypeTexts = Type.Object(typeTexts)
type TypeTexts = Static<typeof TypeTexts>

/** The columns of type `rt` and its organisation `o`. */
export const typeTextColumns: Sql = sql`rt.title, rt.language, rt.translations, o.name AS organization,
  o.language AS organization_language, o.translations AS organization_translations`

/** Returns the title and the organisation in a language, each with the language that it is in; null is their own. */
export function translateType<Row extends TypeTexts>(row: Row, wanted: Language | null) {
  const { translations: ofType, organization_translations, ...rest } = row
  const type = translate({ texts: { title: row.title }, language: row.language }, ofType, wanted)
  const organization = translateName(
    { name: row.organization, language: row.organization_language, translations: organization_translations },
    wanted,
  )
  return {
    ...rest,
    title: type.texts.title,
    language: type.language,
    organization: organization.name,
    organization_language: organization.language,
  }
}

interface NameRow {
  readonly name: string | null
  readonly language: string | null
  readonly translations: Translations<{ readonly name: string }> | null
}

/** Returns the name of an organisation in a language, and the language that it is in; null is its own. */
function translateName({ name, language, translations: others }: NameRow, wanted: Language | null) {
  if (name === null || language === null) return { name, language }
  const found = translate({ texts: { name }, language }, others, wanted)
  return { name: found.texts.name, language: found.language }
}

interface TranslatableQuestion extends Pick<RequestTypeQuestion, 'question' | 'select_values'> {
  readonly translations: Translations<QuestionTexts> | null
}

/** Returns the question in a language, with the one that it is in; `own` is the language of the request type. */
export function translateQuestion<Row extends TranslatableQuestion>(
  { translations: others, ...question }: Row,
  own: string,
  wanted: Language | null,
) {
  const { texts, language } = translate<QuestionTexts>({ texts: { question: question.question }, language: own }, others, wanted)
  const names = texts.select_values ?? {}
  return {
    ...question,
    question: texts.question,
    select_values: question.select_values?.map(({ key, name }) => ({ key, name: names[key] ?? name })) ?? null,
    language,
  }
}
