import { api, type Row } from './row.ts'
import { accountRows } from './rows/accounts.ts'
import { attentionRows } from './rows/attention.ts'
import { bulkRows } from './rows/bulk.ts'
import { communityModerationRows } from './rows/community-moderation.ts'
import { conversationRows } from './rows/conversation.ts'
import { emailRows } from './rows/emails.ts'
import { forecastRows } from './rows/forecast.ts'
import { mergeRows } from './rows/merges.ts'
import { moderationRows } from './rows/moderation.ts'
import { organizationRows } from './rows/organizations.ts'
import { opsRows } from './rows/ops.ts'
import { questionRows } from './rows/questions.ts'
import { reportRows } from './rows/reports.ts'
import { staffRows } from './rows/staff.ts'
import { statisticsRows } from './rows/statistics.ts'
import { targetRows } from './rows/targets.ts'
import { tokenRows } from './rows/tokens.ts'
import { transferRows } from './rows/transfers.ts'
import { watcherRows } from './rows/watch-areas.ts'
import { webhookRows } from './rows/webhooks.ts'

/** Operations without other invalid input return 422 for a misspelt `access_token`. */
const misspeltTokens = [
  ['getRequestType', 'GET', '/request_types/1'],
  ['getUser', 'GET', '/users/1'],
  ['getProfile', 'GET', '/profile'],
  ['listEmails', 'GET', '/emails'],
  ['listTokens', 'GET', '/tokens'],
  ['deleteToken', 'DELETE', '/tokens/1'],
  ['getQuestion', 'GET', '/questions/1'],
  ['listAnswers', 'GET', '/questions/1/answers'],
  ['getAnswer', 'GET', '/answers/1'],
  ['getOrganization', 'GET', '/organizations/1'],
  ['getCapabilities', 'GET', '/organizations/1/capabilities'],
  ['listStaffRequestTypes', 'GET', '/organizations/1/request_types'],
  ['listMembers', 'GET', '/organizations/1/members'],
  ['removeMember', 'DELETE', '/organizations/1/members/1'],
  ['withdrawInvitation', 'DELETE', '/organizations/1/invitations/1'],
  ['listInvitations', 'GET', '/invitations'],
  ['declineInvitation', 'DELETE', '/invitations/1'],
  ['getStaffIssue', 'GET', '/issues/1/work'],
  ['getStaffRequestType', 'GET', '/organizations/1/request_types/1'],
  ['getNote', 'GET', '/issues/1/notes/1'],
  ['getCalendar', 'GET', '/organizations/1/calendars/1'],
  ['getTarget', 'GET', '/organizations/1/targets/1'],
  ['getTemplate', 'GET', '/organizations/1/templates/1'],
  ['getView', 'GET', '/organizations/1/views/1'],
  ['listCalendars', 'GET', '/organizations/1/calendars'],
  ['listTargets', 'GET', '/organizations/1/targets'],
  ['deleteTarget', 'DELETE', '/organizations/1/targets/1'],
  ['listTemplates', 'GET', '/organizations/1/templates'],
  ['deleteTemplate', 'DELETE', '/organizations/1/templates/1'],
  ['listViews', 'GET', '/organizations/1/views'],
  ['deleteView', 'DELETE', '/organizations/1/views/1'],
  ['getBulkRun', 'GET', '/bulk/1'],
  ['undoBulkRun', 'POST', '/bulk/1/undo'],
  ['deleteNote', 'DELETE', '/issues/1/notes/1'],
  ['getModerationItem', 'GET', '/moderation/1'],
  ['getWatchArea', 'GET', '/watchers/1'],
  ['deleteWatchArea', 'DELETE', '/watchers/1'],
  ['listWebhooks', 'GET', '/webhooks'],
  ['getWebhook', 'GET', '/webhooks/1'],
  ['deleteWebhook', 'DELETE', '/webhooks/1'],
  ['renewWebhookSecret', 'POST', '/webhooks/1/secret'],
  ['testWebhook', 'POST', '/webhooks/1/test'],
  ['listWebhookDeliveries', 'GET', '/webhooks/1/deliveries'],
  ['getMetrics', 'GET', '/metrics'],
  ['getTrace', 'GET', '/ops/trace/1'],
  ['retryDeadLetter', 'POST', '/ops/dead-letters/1/notify/retry'],
] as const

const toMisspeltTokenRow = ([operation, method, path]: (typeof misspeltTokens)[number]): Row => ({
  operation,
  what: 'a misspelt access_token',
  request: () => [method, `${/^\/(metrics|ops)/.test(path) ? path : api(path)}?access-token=x`],
  expected: 422,
})

/** The first row of each operation is a valid request. */
export const rows = [
  ...reportRows,
  ...conversationRows,
  ...attentionRows,
  ...staffRows,
  ...transferRows,
  ...mergeRows,
  ...bulkRows,
  ...organizationRows,
  ...targetRows,
  ...moderationRows,
  ...questionRows,
  ...communityModerationRows,
  ...watcherRows,
  ...webhookRows,
  ...accountRows,
  ...emailRows,
  ...tokenRows,
  ...forecastRows,
  ...statisticsRows,
  ...opsRows,
  ...misspeltTokens.map(toMisspeltTokenRow),
] as const

/** Operations that another file tests, with the name of that file. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  getOpsHealth: 'like getMetrics; this app has no queue: test/ops',
  listIssues: 'public; content that is pending review is in no list: test/issues',
  listChanges: 'public, filtered by the caller like listIssues: test/issues/changes',
  streamChanges: 'public, filtered by the caller like listIssues: test/issues/changes',
  getIssuesAsAtom: 'public, filtered by the caller like listIssues: test/feeds',
  getIssuesAsGeoJson: 'public, filtered by the caller like listIssues: test/feeds',
  exportIssues: 'by the setting EXPORTS, otherwise like listIssues: test/exports',
  exportHistory: 'by the setting EXPORTS, otherwise like listIssues: test/exports',
  exportPlaces: 'by the setting EXPORTS, the same for all callers: test/exports',
  getIssueTileJson: 'public, the same for all callers: test/tiles',
  getIssueTileStyle: 'public, the same for all callers: test/tiles',
  getIssueTile: 'public, filtered by the caller like listIssues: test/tiles',
  listComments: 'public, of issues that getIssue shows: test/comments',
  listQuestions: 'public, the same for all callers; content that is pending review is in no list: test/questions',
  listOrganizations: 'public, the same for all callers: test/organizations',
  listPlaces: 'public, the same for all callers: test/places',
  getPlace: 'public, the same for all callers: test/places',
  getIssueFlagPage: 'a page without changes, of issues that getIssue shows: test/web/flag-pages.test.ts',
  getCommentFlagPage: 'a page without changes, of comments that listComments shows: test/web/flag-pages.test.ts',
  getQuestionFlagPage: 'a page without changes, of questions that getQuestion shows: test/flags/community.test.ts',
  getAnswerFlagPage: 'a page without changes, of answers that listAnswers shows: test/flags/community.test.ts',
  getUserFlagPage: 'a page without changes, the same for all callers but the user: test/flags/every-text.test.ts',
}
