export interface TestUser {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly token: string
}
