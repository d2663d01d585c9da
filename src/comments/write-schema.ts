import Type, { type Static } from 'typebox'

import { nullable } from '../http/schema/fields.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'
import { VISIBLE } from '../http/schema/visible-text.ts'
import { Comment, StandingOfIssue } from './schema.ts'

export const COMMENT_MAX = 10_000
const YOUTUBE_URL_MAX = 500
const DEVICE_MAX = 255
export const YOUTUBE_ALLOWED = 'the address of a video on YouTube'

/** As JSON or as a form; with a picture as multipart/form-data. */
export const NewComment = Type.Object(
  {
    comment: Type.String({
      maxLength: COMMENT_MAX,
      pattern: VISIBLE,
      'x-allowed': `text of 1 to ${COMMENT_MAX.toLocaleString('en')} characters`,
      examples: ['It is still there, and deeper.'],
    }),
    image: Type.Optional(
      Type.Unsafe<Upload | '' | null>({
        anyOf: [UploadedFile(), { type: 'string', maxLength: 0 }, { type: 'null' }],
        'x-allowed': 'a PNG, JPEG or GIF picture of at most 20 MB, sent as multipart/form-data',
        description: 'A picture, without what cameras write into it once it is stored.',
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
        'x-allowed': `text of at most ${DEVICE_MAX} characters`,
        description: 'For debugging.',
        examples: ['a1b2'],
      }),
    ),
  },
  { title: 'NewComment' },
)
export type NewComment = Static<typeof NewComment>

/** What somebody just wrote, and how the issue stands with it. */
export const WrittenComment = Type.Object(
  {
    ...Comment.properties,
    body: Type.String({ description: 'The same as `comment`.', examples: ['It is still there, and deeper.'] }),
    moderated: Type.Boolean({ description: 'False: whoever is held gets 202 instead.', examples: [false] }),
    issue: StandingOfIssue,
  },
  { title: 'WrittenComment' },
)
export type WrittenComment = Static<typeof WrittenComment>
