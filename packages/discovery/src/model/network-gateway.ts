/** Where endpoints of another network are reached. */
export interface NetworkGateway {
  readonly network: string
  readonly cluster: string
  readonly address: string
  readonly port: number
}
