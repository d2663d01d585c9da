import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { Id, nullable, visibleText } from '../http/schema/fields.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'
import { type Outcome, outcomes } from '../issue-lifecycle/outcomes.ts'
import { Comment, IssueState } from './schema.ts'

export const COMMENT_MAX = 10_000
const YOUTUBE_URL_MAX = 500
const DEVICE_MAX = 255
export const PASSED_ON_TO_MAX = 200
export const YOUTUBE_ALLOWED = text('video_address')

export const NewComment = Type.Object(
  {
    comment: visibleText(COMMENT_MAX, {
      examples: ['It is still there, and deeper.'],
    }),
    image: Type.Optional(
      Type.Unsafe<Upload | '' | null>({
        anyOf: [UploadedFile(), { type: 'string', maxLength: 0 }, { type: 'null' }],
        'x-allowed': text('uploaded_picture', { max: 20 }),
        description: 'A picture; its metadata is removed.',
      }),
    ),
    youtube_url: Type.Optional(
      nullable(Type.String({ maxLength: YOUTUBE_URL_MAX }), {
        'x-allowed': YOUTUBE_ALLOWED,
        description: 'A link to a video on YouTube. It is never fetched.',
        examples: ['https://youtu.be/dQw4w9WgXcQ'],
      }),
    ),
    device_id: Type.Optional(
      nullable(Type.String({ maxLength: DEVICE_MAX }), {
        'x-allowed': text('text_up_to', { max: DEVICE_MAX }),
        description: 'For debugging.',
        examples: ['a1b2'],
      }),
    ),
  },
  { title: 'NewComment' },
)
export type NewComment = Static<typeof NewComment>

/** Residents may leave these fields out, because their closing always says that the issue is reported as fixed. */
export const NewClosing = Type.Object(
  {
    ...NewComment.properties,
    outcome: Type.Optional(
      Type.Unsafe<Outcome | '' | null>({
        type: ['string', 'null'],
        enum: [...outcomes, '', null],
        'x-allowed': text('one_of', { values: outcomes.join(', ') }),
        description:
          'Why the issue is closed. Employees give one of the first six, or none; a closing by another user is always `reported_fixed`.',
        examples: ['passed_on'],
      }),
    ),
    passed_on_to: Type.Optional(
      nullable(Type.String({ maxLength: PASSED_ON_TO_MAX }), {
        'x-allowed': text('text_up_to', { max: PASSED_ON_TO_MAX }),
        description: 'With the outcome `passed_on`: who has the issue now. It is public.',
        examples: ['State Department of Transportation'],
      }),
    ),
    duplicate_of: Type.Optional(
      Type.Unsafe<number | string | null>({
        anyOf: [{ ...Id }, { type: 'string', pattern: '^(#?[1-9]\\d{0,8})?$' }, { type: 'null' }],
        'x-allowed': text('issue_number'),
        description: 'With the outcome `duplicate`: the id of the public issue that this one repeats.',
        examples: [4710],
      }),
    ),
  },
  { title: 'NewClosing' },
)

export const WrittenComment = Type.Object(
  {
    ...Comment.properties,
    body: Type.String({ description: 'The same as `comment`.', examples: ['It is still there, and deeper.'] }),
    moderated: Type.Boolean({ description: 'Always false; a comment that is held gets 202 instead.', examples: [false] }),
    issue: IssueState,
  },
  { title: 'WrittenComment' },
)
export type WrittenComment = Static<typeof WrittenComment>
