const HOUR = 7

/** Returns the next 07:00 of the time zone strictly after `at`. */
export function nextDailyMailAt(at: Date, timeZone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const today = now.toPlainDate().toZonedDateTime({ timeZone, plainTime: { hour: HOUR } })
  const next = Temporal.ZonedDateTime.compare(today, now) > 0 ? today : today.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}
