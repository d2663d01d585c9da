import Type, { type Static } from 'typebox'

import { nullable, Timestamp, Url } from '../http/schema.ts'
import { UserSummary } from '../users/schema.ts'
import { Id } from '../http/schema.ts'

export const CommentMedia = Type.Object({
  video_url: nullable(Url),
  image_full: nullable(Url),
  image_square_100x100: nullable(Url),
})

export const Comment = Type.Object({
  id: Id,
  comment: Type.String({ examples: ['It is still there, and deeper.'] }),
  commenter: UserSummary,
  created_at: Timestamp,
  updated_at: Timestamp,
  media: CommentMedia,
  flag_url: Url,
})
export type Comment = Static<typeof Comment>

export const CommentList = Type.Object({ comments: Type.Array(Comment) })

/** Without either parameter the list is whole. */
export const ListCommentsQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ description: 'Cuts the list, oldest first; below 1 counts as 1.', examples: [1], 'x-allowed': 'an integer' }),
  ),
  per_page: Type.Optional(Type.Integer({ description: 'Rows of a page, 1 to 100.', examples: [20], 'x-allowed': 'an integer' })),
})
