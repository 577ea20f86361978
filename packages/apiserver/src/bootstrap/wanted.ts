import type { Descriptor, KubeObject } from "@pilothouse/api"

/** Where others reach this server. */
export interface Advertised {
  readonly address: string
  readonly port: number
}

export interface BootstrapOptions {
  readonly advertise: Advertised
  /** The certificate (PEM) that client certificates are signed with; extension servers check them by it. */
  readonly clientCa: string | undefined
}

/** An object that every cluster has. */
export interface Wanted {
  readonly descriptor: Pick<Descriptor, "group" | "version" | "plural">
  readonly object: KubeObject
  /** Fields that are set again at every start. */
  readonly renew?: readonly string[]
  /** It is recreated as soon as it is deleted, and not only at the next start. */
  readonly isKept?: true
}
