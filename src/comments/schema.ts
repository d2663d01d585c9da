import Type, { type Static } from 'typebox'

import { Id, nullable, Timestamp, Url, urlLike } from '../http/schema/fields.ts'
import { IssueRating, IssueStatus } from '../issue-lifecycle/status.ts'
import { UserSummary } from '../users/schema.ts'

const CommentMedia = Type.Object(
  {
    video_url: nullable(Url, { examples: [null] }),
    image_full: nullable(Url, { examples: [null] }),
    image_square_100x100: nullable(Url, { examples: [null] }),
  },
  { title: 'CommentMedia' },
)

export const Comment = Type.Object(
  {
    id: { ...Id, examples: [815] },
    comment: Type.String({ examples: ['It is still there, and deeper.'] }),
    commenter: UserSummary,
    created_at: Timestamp,
    updated_at: Timestamp,
    media: CommentMedia,
    flag_url: urlLike('/api/v2/comments/815/flag'),
    issue_url: urlLike('/api/v2/issues/4711'),
    editable_until: Type.Null({ description: 'Comments cannot be edited.' }),
    last_edited_at: Type.Null(),
  },
  { title: 'Comment' },
)
export type Comment = Static<typeof Comment>

export const IssueState = Type.Object({ status: IssueStatus, rating: IssueRating })

const ListedComment = Type.Object({ ...Comment.properties, issue: IssueState }, { title: 'ListedComment' })
export type ListedComment = Static<typeof ListedComment>

export const CommentList = Type.Object({ comments: Type.Array(ListedComment) })

/** Without both parameters the list is not paged. */
export const ListCommentsQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      description: 'The page, from 1; lower values count as 1.',
      examples: [1],
    }),
  ),
  per_page: Type.Optional(Type.Integer({ description: 'Rows of a page, 1 to 100.', examples: [20] })),
})
