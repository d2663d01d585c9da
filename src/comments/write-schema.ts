import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { nullable, VISIBLE } from '../http/schema/fields.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'
import { Comment, IssueState } from './schema.ts'

export const COMMENT_MAX = 10_000
const YOUTUBE_URL_MAX = 500
const DEVICE_MAX = 255
export const YOUTUBE_ALLOWED = text('video_address')

export const NewComment = Type.Object(
  {
    comment: Type.String({
      maxLength: COMMENT_MAX,
      pattern: VISIBLE,
      'x-allowed': text('text_between', { min: 1, max: COMMENT_MAX }),
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
