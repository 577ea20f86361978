/** Where endpoints of another network are reached. */
export interface NetworkGateway {
  readonly network: string
  /** "" is none: what the mesh's settings say. */
  readonly cluster: string
  readonly address: string
  readonly port: number
}
