import type { Job } from 'bullmq'

export interface InHand<JobType> {
  during<Result>(job: JobType, token: string | undefined, work: () => Promise<Result>): Promise<Result>
  /** Re-queues unfinished jobs, which other workers take at once, and returns their number. */
  giveBack(): Promise<number>
}

/**
 * Returns a tracker of active jobs. A requeued job may still run in this process, so its handler must tolerate that, as it must
 * tolerate a crash.
 */
export function inHandOf<JobType extends Pick<Job, 'moveToWait'>>(): InHand<JobType> {
  const jobs = new Map<JobType, string | undefined>()
  return {
    async during(job, token, work) {
      jobs.set(job, token)
      try {
        return await work()
      } finally {
        jobs.delete(job)
      }
    },
    async giveBack() {
      const givenBack = await Promise.allSettled([...jobs].map(([job, token]) => job.moveToWait(token)))
      return givenBack.filter(({ status }) => status === 'fulfilled').length
    },
  }
}
