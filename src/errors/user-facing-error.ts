/**
 * What the person who started a command can mend. `message` is all that they need, fit for a terminal; the places in our code
 * would only hide it (src/process/run-command.ts).
 */
export class UserFacingError extends Error {
  override name = 'UserFacingError'
}
