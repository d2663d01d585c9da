import { sweepBy } from '../../jobs/handlers/delete-expired.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { silentLog } from './log.ts'

/** Runs a job that deletes expired data with the services that its rules use. */
export const sweep = (job: Parameters<typeof sweepBy>[0], services: Partial<JobServices>): Promise<void> =>
  sweepBy(job)({}, { log: silentLog, ...services } as JobServices)
