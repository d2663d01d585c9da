import type { Job } from 'bullmq'

/** What is being done in this process, so that it can be given back. */
export interface InHand<JobType> {
  during<Result>(job: JobType, token: string | undefined, work: () => Promise<Result>): Promise<Result>
  /** Puts every job that has not ended back into its queue, where another worker takes it at once, and gives how many. */
  giveBack(): Promise<number>
}

/** A job that is given back may still be running here: its handler must take that, as it takes the end of a process. */
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
