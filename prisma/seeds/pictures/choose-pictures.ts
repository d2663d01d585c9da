import { DAY_MS, type DraftComment, type DraftIssue } from '../drafts.ts'
import type { Random } from '../random.ts'
import { countVariants, type Picture, type PictureKind, solvedKinds } from './kinds.ts'

/** Summaries that fit a picture. The first match decides; undefined if no picture shows what they say. */
const fitting: readonly (readonly [pattern: RegExp, kind: PictureKind | undefined])[] = [
  [/pothole|road surface|sunken patch/i, 'pothole'],
  [/(broken|cracked|sunken) sidewalk|trip hazard|sidewalk lifted/i, 'sidewalk'],
  [/storm drain|street floods|standing water|catch basin/i, 'flooded-gutter'],
  [/graffiti on (traffic|the underpass)|offensive/i, undefined],
  [/graffiti|mural tagged/i, 'graffiti'],
  [/illegal dumping|mattress|couch|furniture|pile of trash|moving truck/i, 'dumping'],
  [/overflowing trash can|street basket full|never emptied/i, 'overflowing-bin'],
  [/street lights? (out|flickering)|broken lamp|light out|lights out|is dark/i, 'street-light'],
  [/stop sign down|sign pole bent|covered in stickers/i, 'sign'],
  [/signal (out|dark)/i, 'traffic-signal'],
  [/tree down|fallen limb|branch came down/i, 'fallen-tree'],
  [/abandoned car|car without plates|stripped car/i, 'abandoned-car'],
  [/(abandoned|rusty) bike|bike left/i, 'abandoned-bicycle'],
]

// Each picture is two files, which the first start writes.
const RECENT_DAYS = 30
const RECENT_PROBABILITY = 0.3
const EARLIER_PROBABILITY = 0.01

export interface ChosenPicture {
  readonly issue: DraftIssue
  /** The comment that shows the solved issue; undefined for the picture of the report. */
  readonly comment?: DraftComment
  readonly picture: Picture
}

/**
 * Returns a picture for some of the issues, more of the recent ones, and one for the comment that closes such an issue as fixed. In each city the
 * variants follow each other, so that few repeat.
 */
export function choosePictures(random: Random, issues: readonly DraftIssue[], now: number): ChosenPicture[] {
  const counts = new Map<string, number>()
  const chosen: ChosenPicture[] = []
  for (const issue of issues) {
    const [, kind] = fitting.find(([pattern]) => pattern.test(issue.report.summary)) ?? []
    const isRecent = now - issue.createdAt < RECENT_DAYS * DAY_MS
    const hasPicture = random.chance(isRecent ? RECENT_PROBABILITY : EARLIER_PROBABILITY)
    if (kind === undefined || !hasPicture || issue.isHeld) continue
    const key = `${issue.city.urlName} ${kind}`
    const count = counts.get(key) ?? random.integer(0, countVariants(kind) - 1)
    counts.set(key, count + 1)
    const picture = { kind, variant: count % countVariants(kind) }
    chosen.push({ issue, picture })
    const comment = issue.statusChanges.findLast(({ to, outcome }) => to === 'Closed' && outcome === 'fixed')?.comment
    if (comment && solvedKinds.has(kind)) chosen.push({ issue, comment, picture: { ...picture, isSolved: true } })
  }
  return chosen
}
