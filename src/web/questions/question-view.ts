import { mayAccept } from '../../answers/accept-answer.ts'
import { type HiddenAnswer, listHiddenAnswers } from '../../answers/hidden-queries.ts'
import { type AnswerRow, listAnswers, listOwnVotes } from '../../answers/queries.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Queryable } from '../../database/database.ts'
import type { Point } from '../../geo/point.ts'
import { findPlace } from '../../places/queries.ts'
import { problems } from '../../errors/problems.ts'
import { findQuestion, type QuestionRow } from '../../questions/queries.ts'
import { findHiddenState, type HiddenState } from '../../questions/state-queries.ts'
import type { Services } from '../../services.ts'

const ANSWERS_MAX = 100
/** Hidden answers on the page. Moderators have a separate list of all. */
const HIDDEN_MAX = 20

export interface QuestionView {
  readonly viewer: Viewer | null
  /** The centre of the city, whose time zone is used. */
  readonly centre: Point
  readonly question: QuestionRow
  /** False for questions that are held or rejected: only the asker and moderators see them, without any actions. */
  readonly isPublic: boolean
  readonly hiddenState: HiddenState | undefined
  readonly answers: readonly AnswerRow[]
  readonly hidden: readonly HiddenAnswer[]
  readonly voted: ReadonlySet<number>
  readonly mayAccept: boolean
}

/** @throws Problem 404 if the question is unknown or not visible to the viewer */
export async function findQuestionView({ db }: Services, id: number, viewer: Viewer | null): Promise<QuestionView> {
  const question = await findQuestion(db, id, viewer)
  if (!question) throw problems.notFound('the_question')
  const isPublic = question.moderation_state === 'passed'
  const subject = { place_id: question.place.id, asker_id: question.asker?.id ?? null }
  const [centre, answers, hidden, hiddenState, accepts] = await Promise.all([
    readCentre(db, question.place),
    listAnswers(db, id, { page: 1, perPage: ANSWERS_MAX }),
    listHiddenAnswers(db, id, viewer, HIDDEN_MAX),
    isPublic ? undefined : findHiddenState(db, id),
    viewer && isPublic ? mayAccept(db, subject, viewer) : false,
  ])
  const voted = await listOwnVotes(
    db,
    answers.map((answer) => answer.id),
    viewer,
  )
  return { viewer, centre, question, isPublic, hiddenState, answers, hidden, voted, mayAccept: accepts }
}

/** @throws Problem 404 if the city was deleted */
export async function readCentre(db: Queryable, { id }: { readonly id: number }): Promise<Point> {
  const place = await findPlace(db, id)
  if (!place) throw problems.notFound('the_place')
  return { lng: place.center_lng, lat: place.center_lat }
}
