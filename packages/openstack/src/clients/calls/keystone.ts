import type { Transport } from "@pilothouse/seams"
import type { CallOptions } from "./collection.ts"
import type { OpenStackService } from "./errors.ts"

/** The user. One of the three ways that openstacksdk calls v3password, v3applicationcredential and v3token. */
export type OpenStackCredentials = PasswordCredentials | ApplicationCredentials | TokenCredentials

export interface DomainRef {
  readonly id?: string
  readonly name?: string
}

export interface ProjectScope {
  readonly id?: string
  readonly name?: string
  readonly domain?: DomainRef
}

export interface PasswordCredentials {
  readonly type: "password"
  readonly user: { readonly id?: string; readonly name?: string; readonly domain?: DomainRef }
  readonly password: string
  readonly project?: ProjectScope
}

export interface ApplicationCredentials {
  readonly type: "application-credential"
  readonly id?: string
  /** With the user, where there is no id. */
  readonly name?: string
  readonly user?: { readonly id?: string; readonly name?: string; readonly domain?: DomainRef }
  readonly secret: string
}

export interface TokenCredentials {
  readonly type: "token"
  readonly token: string
  readonly project?: ProjectScope
}

/** Everything that is needed to reach one cloud as one user; clouds.yaml, the environment and kuryr.conf all become this. */
export interface CloudAccess {
  /** "http://10.0.0.1:5000/v3" */
  readonly authUrl: string
  readonly credentials: OpenStackCredentials
  readonly region?: string
  readonly interface?: "public" | "internal" | "admin"
  /** Addresses that win over the catalog's, by service type. */
  readonly endpoints?: Readonly<Record<string, string>>
  /** False: any certificate of the servers will do. */
  readonly verify?: boolean
  /** PEM file with the authorities to trust. */
  readonly caFile?: string
}

/** A token and what Keystone says with it. It is renewed before it expires. */
export interface Token {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly project?: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string }
  readonly roles: readonly string[]
  readonly catalog: readonly CatalogEntry[]
}

export interface CatalogEntry {
  readonly type: string
  readonly name: string
  readonly endpoints: readonly CatalogEndpoint[]
}

export interface CatalogEndpoint {
  readonly interface: string
  readonly region_id: string
  readonly url: string
}

/** How a server is reached: HTTP in production, the embedded cloud's handlers in one process. Asked once per address; which service it is, is for messages. */
export type Connect = (url: string, service?: OpenStackService) => Transport

/** A token that is renewed in time, and the addresses that come with it. */
export interface Keystone {
  /** The present token; a new one shortly before it expires, and when `refused` is the one that was refused. Callers at the same time share one request. */
  token(options?: CallOptions & { readonly refused?: string }): Promise<Token>
  /** The project of the token. Throws where the token has none. */
  projectId(options?: CallOptions): Promise<string>
  /** The address of a service, by its type: "network", "load-balancer". Throws where the catalog has none, and says what it has. */
  endpoint(serviceType: string, options?: CallOptions): Promise<string>
}
