import type { NotificationWords } from './notification-words.ts'

export const en: NotificationWords = {
  anonymous: 'An anonymous user',
  statuses: { Open: 'open', Acknowledged: 'acknowledged', Closed: 'closed', Archived: 'archived' },
  status: (status) => `Status: ${status}`,
  headings: {
    'comment.added': (who) => `${who} wrote a comment`,
    'issue.acknowledged': (who) => `${who} acknowledged this issue`,
    'issue.closed': (who) => `${who} closed this issue`,
    'issue.opened': (who) => `${who} opened this issue again`,
    'issue.assigned': () => 'This issue is assigned to you',
    'issue.rejected': () => 'Your report was not published',
    'comment.rejected': () => 'Your comment was not published',
    'comment.move_refused': () => 'Your comment was published, the status stays as it is',
  },
  subjects: {
    'issue.assigned': (summary) => `Assigned to you: ${summary}`,
    'issue.rejected': (summary) => `Not published: ${summary}`,
    'comment.rejected': (summary) => `Your comment was not published: ${summary}`,
    'comment.move_refused': (summary) => `Your comment was published: ${summary}`,
  },
  explanations: {
    'issue.rejected': [
      'A moderator looked at your report and decided that it will not be published. You still see it on its page.',
    ],
    'comment.rejected': ['A moderator looked at your comment and decided that it will not be published.'],
    'comment.move_refused': [
      'You wanted to change the status of the issue with it. By the time a moderator had looked at your comment, the issue had moved on, and that change was no longer possible.',
    ],
  },
  reason: (text) => `The moderator says: ${text}`,
  pictureHint: 'There is a picture with it.',
  picture: 'See the picture',
  shortenedHint: 'The text goes on; all of it stands on the page of the issue.',
  button: 'See the issue',
  mailReasons: {
    follower: 'You get this mail because you follow the issue.',
    assignee: 'You get this mail because the issue is assigned to you.',
    author: 'You get this mail because you wrote this.',
  },
  unsubscribe: 'No more mails about this issue, or none at all',
}
