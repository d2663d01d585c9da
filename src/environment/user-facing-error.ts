/** Error that the operator of a command can fix. run-command.ts prints its `message` without a stack trace. */
export class UserFacingError extends Error {
  override name = 'UserFacingError'
}
