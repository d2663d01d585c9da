/**
 * Both sides of a row work so long before they are measured: connections are open then, have kept their plans, and Node has compiled what runs often. A
 * service runs for weeks.
 */
export const WARM_UP_SECONDS = 2

/** A new process first compiles what it runs, for longer on a slow machine: so it answers the first row and its 304 for so long before either is measured. */
export const SERVER_WARM_UP_SECONDS = 15
