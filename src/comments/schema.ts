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

export const ListedComment = Type.Object({ ...Comment.properties, issue: IssueState }, { title: 'ListedComment' })
export type ListedComment = Static<typeof ListedComment>
