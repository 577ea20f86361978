import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { ComponentRole } from "../authorization/bootstrap-policy/policy-objects.ts"
import type { FrontProxy } from "../certificates/front-proxy.ts"
import type { AppliedStatus, OwnCreate } from "../objects/owned-by-server.ts"

/** Where others reach this server. */
export interface Advertised {
  readonly address: string
  readonly port: number
}

export interface BootstrapOptions {
  readonly advertise: Advertised
  /** The certificate (PEM) that client certificates are signed with; extension servers check them by it. */
  readonly clientCa: string | undefined
  /** How extension servers know this server; undefined where it was given no certificate for that. */
  readonly frontProxy: FrontProxy | undefined
  /** Rights of components beside those of upstream's policy; for a server that enforces RBAC. */
  readonly componentRoles?: readonly ComponentRole[]
}

/** A stored object that is put right. `applied` is what of it a controller of the server applies; the rest is an update. */
export interface Amended {
  readonly object: KubeObject
  readonly applied?: AppliedStatus
}

/** An object that every cluster has. */
export interface Wanted extends OwnCreate {
  readonly descriptor: Pick<Descriptor, "group" | "version" | "plural">
  readonly object: KubeObject
  /** Fields that are set again at every start. */
  readonly renew?: readonly string[]
  /** What else is put right in the stored object; returns undefined where nothing is wrong. */
  readonly amend?: (stored: KubeObject) => Amended | undefined
  /** It is recreated as soon as it is deleted, and not only at the next start. */
  readonly isKept?: true
}
