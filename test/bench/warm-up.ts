/**
 * Both sides of a row work so long before they are measured: connections are open then, have kept their plans, and Node has compiled what runs often. A
 * service runs for weeks.
 */
export const WARM_UP_SECONDS = 2
