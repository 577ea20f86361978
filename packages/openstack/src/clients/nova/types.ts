/** A server as Nova shows it since its API version 2.47. */
export interface Server {
  readonly id: string
  readonly name: string
  /** ACTIVE, SHUTOFF, BUILD, ERROR … */
  readonly status: string
  /** A hash of the host that it runs on; empty before it has one. */
  readonly hostId: string
  /** `original_name` since 2.47; before only `id`. */
  readonly flavor: { readonly original_name?: string; readonly id?: string }
  /** By the name of the network. */
  readonly addresses: Readonly<Record<string, readonly ServerAddress[]>>
  readonly accessIPv4: string
  readonly accessIPv6: string
  readonly metadata: Readonly<Record<string, string>>
  readonly "OS-EXT-AZ:availability_zone"?: string
}

export interface ServerAddress {
  readonly addr: string
  readonly version: number
  readonly "OS-EXT-IPS:type"?: "fixed" | "floating"
}
