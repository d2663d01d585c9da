import type { NotificationWords } from './notification-words.ts'

export const en: NotificationWords = {
  anonymous: 'An anonymous user',
  statuses: { Open: 'open', Acknowledged: 'acknowledged', Closed: 'closed', Archived: 'archived' },
  status: (status) => `Status: ${status}`,
  headings: {
    'comment.added': (who) => `${who} wrote a comment`,
    'issue.acknowledged': (who) => `${who} acknowledged this issue`,
    'issue.closed': (who) => `${who} closed this issue`,
    'issue.reopened': (who) => `${who} reopened this issue`,
    'issue.assigned': () => 'This issue is assigned to you',
    'issue.rejected': () => 'Your report was not published',
    'comment.rejected': () => 'Your comment was not published',
    'comment.transition_refused': () => 'Your comment was published; the status did not change',
  },
  subjects: {
    'comment.added': (summary, who) => (who === undefined ? `New comment: ${summary}` : `New comment by ${who}: ${summary}`),
    'issue.acknowledged': (summary) => `Acknowledged: ${summary}`,
    'issue.closed': (summary) => `Closed: ${summary}`,
    'issue.reopened': (summary) => `Reopened: ${summary}`,
    'issue.assigned': (summary) => `Assigned to you: ${summary}`,
    'issue.rejected': (summary) => `Your report was not published: ${summary}`,
    'comment.rejected': (summary) => `Your comment was not published: ${summary}`,
    'comment.transition_refused': (summary) => `Comment published, status unchanged: ${summary}`,
  },
  explanations: {
    'issue.rejected': ['A moderator reviewed your report and decided not to publish it. You can still see it on its page.'],
    'comment.rejected': ['A moderator reviewed your comment and decided not to publish it.'],
    'comment.transition_refused': [
      'Your comment should also have changed the status of the issue. When a moderator approved it, that change was no longer possible.',
    ],
  },
  reason: (text) => `The moderator says: ${text}`,
  pictureHint: 'The comment has a picture.',
  reportPictureHint: 'The report has a picture.',
  picture: 'View it',
  pictureAlt: (summary) => `Picture of the issue: ${summary}`,
  commentPictureAlt: (who) => (who === undefined ? 'Picture of the comment' : `Picture of the comment by ${who}`),
  mapAlt: 'Map of the surroundings of the issue',
  shortenedHint: 'This text is shortened. Read it in full on the issue page.',
  button: 'See the issue',
  mailReasons: {
    follower: 'You get this mail because you follow the issue.',
    assignee: 'You get this mail because the issue is assigned to you.',
    author: 'You get this mail because you wrote this.',
  },
  unsubscribe: 'Unsubscribe from this issue, or from all mails',
}
