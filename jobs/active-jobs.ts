import type { Job } from 'bullmq'

export interface ActiveJobs<JobType> {
  run<Result>(job: JobType, token: string | undefined, work: () => Promise<Result>): Promise<Result>
  requeueUnfinished(): Promise<number>
}

/** Returns a tracker of active jobs. A requeued job may still run in this process, so its handler must tolerate running twice. */
export function trackActiveJobs<JobType extends Pick<Job, 'moveToWait'>>(): ActiveJobs<JobType> {
  const jobs = new Map<JobType, string | undefined>()
  return {
    async run(job, token, work) {
      jobs.set(job, token)
      try {
        return await work()
      } finally {
        jobs.delete(job)
      }
    },
    async requeueUnfinished() {
      const requeued = await Promise.allSettled([...jobs].map(([job, token]) => job.moveToWait(token)))
      return requeued.filter(({ status }) => status === 'fulfilled').length
    },
  }
}
