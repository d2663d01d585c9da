import type { Point } from '../../src/geo/shapes.ts'
import type { TestUser } from './test-user.ts'

export interface PlaceInput {
  readonly url_name?: string
  readonly name?: string
  readonly place_type?: string
  readonly around?: Point
  /** Half the side of the square, in degrees. */
  readonly size?: number
  /** GeoJSON, instead of a square. */
  readonly boundary?: object
}

export interface FormQuestionInput {
  readonly built_in?: string
  readonly question: string
  readonly question_type: string
  readonly answer_kept_private?: boolean
  readonly response_required?: boolean
  readonly select_values?: { key: string; name: string }[]
}

export interface TextInput {
  readonly by?: TestUser
  readonly created_at?: string
  readonly moderation_state?: 'passed' | 'held' | 'rejected'
}

export interface CommentInput extends TextInput {
  readonly on: number
  readonly comment?: string
}

export interface QuestionInput extends TextInput {
  readonly place: number
  readonly question?: string
}

export interface AnswerInput extends Omit<CommentInput, 'comment'> {
  readonly answer?: string
  readonly accepted_at?: string
}
