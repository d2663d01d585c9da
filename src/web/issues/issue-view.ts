import type { Texts } from '../../locales/texts.ts'
import { type CommentRow, listNewestComments } from '../../comments/queries.ts'
import { type HiddenComment, listHiddenComments } from '../../comments/hidden-comments.ts'
import { viewBox } from '../../geo/shapes.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import { listDetails } from '../../issues/details-queries.ts'
import { findIssue, type IssueRow } from '../../issues/queries.ts'
import { findReportState, type ReportState } from '../../issues/single-issue.ts'
import { listRedactions, listStatusChanges, type RedactionRow, type StatusChangeRow } from '../../issues/history-queries.ts'
import { type IssueDot, listIssueDots } from '../../issues/list/overview.ts'
import { type PresentedAnswer, toAnswers } from '../../issues/present-answers.ts'
import { toExtendedIssue } from '../../issues/present.ts'
import { findOfficialOrganizations, type OfficialOrganization } from '../../issue-lifecycle/acting-organizations.ts'
import { type TransitionName, allowedTransitions } from '../../issue-lifecycle/transitions.ts'
import { DETAILS_MAX, type ExtendedIssue } from '../../issues/schema.ts'
import { listPlacesContaining, type PlaceRow } from '../../places/queries.ts'
import { listDuplicates } from '../../staff/merges/merge.ts'
import { findOfferSide, findStaffSide, type OfferSide, type StaffSide } from '../../staff/staff-side.ts'
import { findPromisedTimes, type PromisedTimes } from '../../staff/targets/issue-target.ts'
import type { Services } from '../../services.ts'
import { type MapLayers, readMapLayers } from '../map/drawn/map-layers.ts'

/** The map of an issue shows the streets around it. */
const MAP_ZOOM = 17
/** Other issues on this map. */
export const DOTS_MAX = 1_000

/** Hidden comments on the page. Moderators have a separate list of all. */
const HIDDEN_MAX = 20

export interface IssueView {
  readonly viewer: Viewer | null
  readonly texts: Texts
  readonly row: IssueRow
  readonly issue: ExtendedIssue
  readonly answers: readonly PresentedAnswer[]
  /** False for issues that are held or rejected: only the reporter and moderators see them, without any actions. */
  readonly isPublic: boolean
  readonly transitions: readonly TransitionName[]
  readonly comments: readonly CommentRow[]
  readonly hidden: readonly HiddenComment[]
  readonly changes: readonly StatusChangeRow[]
  readonly redactions: readonly RedactionRow[]
  /** The organisations of officials who wrote here, and that of the viewer, by the ids of the users. */
  readonly organizations: ReadonlyMap<number, OfficialOrganization>
  readonly places: readonly PlaceRow[]
  readonly layers: MapLayers
  readonly dots: readonly IssueDot[]
  readonly report: ReportState | undefined
  /** Null unless the organisation shows its targets to residents. */
  readonly promised: PromisedTimes | null
  /** The staff side. It is undefined unless the viewer belongs to an organisation that may act for the issue. */
  readonly staff: StaffSide | undefined
  /** The open offer of the issue. It is undefined unless the viewer belongs to one of its organisations. */
  readonly offer: OfferSide | undefined
  /** The issues that are merged into this one. */
  readonly duplicates: Awaited<ReturnType<typeof listDuplicates>>
}

/** @throws Problem 404 if the issue is unknown or not visible to the viewer */
export async function findIssueView(
  services: Services,
  id: number,
  { viewer, texts, commentsMax = DETAILS_MAX }: Pick<IssueView, 'viewer' | 'texts'> & { readonly commentsMax?: number },
): Promise<IssueView> {
  const { db, urls } = services
  const row = orNotFound(await findIssue(db, id, viewer), 'the_issue')
  const box = viewBox(row, MAP_ZOOM)
  const [[details], comments, hidden, changes, redactions, organizations, places, layers, dots, report, work] = await Promise.all([
    listDetails(db, [id], viewer),
    listNewestComments(db, [id], commentsMax),
    listHiddenComments(db, id, viewer, HIDDEN_MAX),
    listStatusChanges(db, id, commentsMax),
    listRedactions(db, id, viewer, DETAILS_MAX),
    findOfficialOrganizations(db, id, { language: texts.language, viewerId: viewer?.id ?? null }),
    listPlacesContaining(db, row),
    readMapLayers(services, box),
    listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
    viewer ? findReportState(db, id, viewer) : undefined,
    Promise.all([findStaffSide(db, id, viewer, urls), findOfferSide(db, id, viewer), listDuplicates(db, id)]),
  ])
  if (!details) throw problems.notFound('the_issue')
  const issue = toExtendedIssue(row, details, comments, urls, texts.language)
  const isPublic = viewer === null || row.actor_role !== 'none'
  const transitions = allowedTransitions(row.status, row.actor_role)
  return {
    viewer,
    texts,
    row,
    issue,
    answers: toAnswers(row, details, urls, texts.language),
    isPublic,
    transitions,
    comments,
    hidden,
    changes,
    redactions,
    organizations,
    places,
    layers,
    dots,
    report,
    ...{ staff: work[0], offer: work[1], duplicates: work[2] },
    promised: await findPromisedTimes(db, id),
  }
}
