import { toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { toUserSummary } from '../users/present.ts'
import type { QuestionRow } from './queries.ts'
import type { Question } from './schema.ts'

export function toQuestion({ moderation_state: _, place, ...row }: QuestionRow, urls: Urls): Question {
  return {
    ...row,
    asker: toUserSummary(row.asker, urls),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    place: { ...place, url: urls.api(`/places/${place.id}`) },
    url: urls.api(`/questions/${row.id}`),
    html_url: urls.at(`/questions/${row.id}`),
    answers_url: urls.api(`/questions/${row.id}/answers`),
    flag_url: urls.api(`/questions/${row.id}/flag`),
  }
}
