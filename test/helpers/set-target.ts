import type { Prisma } from '../../prisma/generated/client.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { copyDueTimes } from '../../src/issue-lifecycle/edit-issue.ts'

/** Sets the target of an issue, or removes it, as the service does. */
export async function setTarget(
  db: Database,
  issue_id: number,
  target: Partial<Omit<Prisma.IssueTargetUncheckedCreateInput, 'issue_id'>> | null,
): Promise<void> {
  const where = { issue_id }
  if (target) await db.prisma.issueTarget.upsert({ where, create: { issue_id, started_at: new Date(), ...target }, update: target })
  else await db.prisma.issueTarget.delete({ where })
  await db.execute(copyDueTimes(sql`one.id = ${issue_id}::integer`))
}
