import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { toUserSummary } from '../users/present.ts'
import type { AnswerRow } from './queries.ts'
import type { Answer } from './schema.ts'

export function toAnswer({ moderation_state: _, vote_count, ...row }: AnswerRow, urls: Urls): Answer {
  return {
    ...row,
    answerer: toUserSummary(row.answerer, urls),
    accepted_at: toNullableTimestamp(row.accepted_at),
    total_votes: vote_count,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    url: urls.api(`/answers/${row.id}`),
    html_url: urls.at(`/questions/${row.question_id}#answer-${row.id}`),
    question_url: urls.api(`/questions/${row.question_id}`),
    flag_url: urls.api(`/answers/${row.id}/flag`),
  }
}
