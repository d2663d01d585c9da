import { addWorkingTime, type Calendar, workingTimeBetween } from './calendar.ts'

/**
 * Returns a target after a pause: the working time of the pause is added. A target that was missed before the pause does not change.
 * @param pause its start and end
 */
export function shiftByPause(target: Date, [from, to]: readonly [Date, Date], calendar: Calendar | null): Date {
  return target <= from ? target : addWorkingTime(target, workingTimeBetween(from, to, calendar), calendar)
}
